import { describe, expect, it } from '@jest/globals';
import { objectAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { job } from '../../testing/workloads.js';
import { defaultJob, generateSelector } from './defaults.js';
import { validateJob, validateJobUpdate } from './validation.js';

/** Returns a Job with its defaults and its selector, ready for validation. */
function complete(spec: JsonObject, name = 'sum'): KubeObject {
  const made = structuredClone(job(name, spec)) as KubeObject;
  made.metadata.uid = 'u';
  const pod = objectAt(made, 'spec', 'template', 'spec');
  pod['dnsPolicy'] = 'ClusterFirst';
  pod['restartPolicy'] ??= 'Always';
  defaultJob(made);
  if (objectAt(made, 'spec')['manualSelector'] !== true) generateSelector(made);
  return made;
}

const failurePolicy = (rule: JsonObject): JsonObject => ({ podFailurePolicy: { rules: [rule] } });
const rule = 'spec.podFailurePolicy.rules[0]';

describe('validateJob', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'counts below 0',
      { parallelism: -1, backoffLimit: -2 },
      [
        'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
        'spec.backoffLimit: Invalid value: -2: must be greater than or equal to 0',
      ],
    ],
    [
      'a mode that does not exist',
      { completionMode: 'Any' },
      ['spec.completionMode: Unsupported value: "Any": supported values: "NonIndexed", "Indexed"'],
    ],
    [
      'too many parallel indexes',
      { completionMode: 'Indexed', completions: 1, parallelism: 100_001 },
      [
        'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
      ],
    ],
    [
      'a selector that differs from the generated selector',
      { selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'x' } } },
      [
        'spec.selector: Invalid value: {"matchLabels":{"batch.kubernetes.io/controller-uid":"x"}}: `selector` not auto-generated',
        'spec.template.metadata.labels: Invalid value: {"batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-name":"sum","controller-uid":"u","job-name":"sum"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'no selector if the selector is not generated',
      { manualSelector: true },
      ['spec.selector: Required value'],
    ],
    [
      'a replacement before the failure of a pod, with a failure policy',
      {
        ...failurePolicy({ action: 'Count', onPodConditions: [{ type: 'X' }] }),
        podReplacementPolicy: 'TerminatingOrFailed',
      },
      ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
    ],
    [
      'a rule without a condition',
      failurePolicy({ action: 'Ignore' }),
      [
        `${rule}: Invalid value: {"action":"Ignore"}: specifying one of OnExitCodes and OnPodConditions is required`,
      ],
    ],
    [
      'invalid exit codes',
      failurePolicy({
        action: 'FailJob',
        onExitCodes: { containerName: 'b', operator: 'In', values: [3, 0] },
      }),
      [
        `${rule}.onExitCodes.containerName: Invalid value: "b": must be one of the container or initContainer names in the pod template`,
        `${rule}.onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator`,
        `${rule}.onExitCodes.values: Invalid value: [3,0]: must be ordered`,
      ],
    ],
  ])('refuses %s', (_title, spec, expected) => {
    expect(validateJob(complete(spec)).map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
  });

  it('refuses a name that is too long for the host names of its pods', () => {
    const name = 'x'.repeat(62);
    const [cause] = validateJob(complete({ completionMode: 'Indexed', completions: 10 }, name));
    expect(cause?.message).toContain(`will not able to create pod with invalid DNS label: ${name}-9`);
    expect(validateJob(complete({ completionMode: 'Indexed', completions: 10 }))).toEqual([]);
  });
});

describe('validateJobUpdate', () => {
  const indexed = { completionMode: 'Indexed', completions: 2, parallelism: 2 };
  const placed = {
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'app', image: 'example.com/app:1' }],
        nodeSelector: { zone: 'a' },
      },
    },
  };
  it.each<[string, JsonObject, JsonObject, string[]]>([
    [
      'allows a change of the parallelism and of the suspension',
      {},
      { completions: 1, parallelism: 3, suspend: true },
      [],
    ],
    ['refuses a change of the completions', {}, { completions: 2 }, ['spec.completions']],
    [
      'allows more indexes together with the parallelism',
      indexed,
      { ...indexed, completions: 3, parallelism: 3 },
      [],
    ],
    [
      'refuses more indexes without a change of the parallelism',
      indexed,
      { ...indexed, completions: 3 },
      ['spec.completions'],
    ],
    ['refuses a change of the node selector of a Job that runs', {}, placed, ['spec.template']],
    [
      'allows a change of the node selector of a Job that has not started',
      { suspend: true },
      { ...placed, suspend: true },
      [],
    ],
  ])('%s', (_title, before, after, fields) => {
    expect(validateJobUpdate(complete(after), complete(before)).map(({ field }) => field)).toEqual(fields);
  });
});
