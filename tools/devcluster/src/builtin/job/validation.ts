import { objectAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { checkLabel } from '../../registry/names.js';
import { invalid, notSupported, required } from '../../schema/field-error.js';
import { goQuote, jsonEqual } from '../../schema/json.js';
import type { Cause, JsonObject } from '../../schema/types.js';
import { labelSelectorRequirements, matchesLabels } from '../../selectors/labels.js';
import { validatePodFailurePolicy } from './failure-policy.js';
import { nameLabels, uidLabels } from './defaults.js';
import { validatePodSpec, validateTemplateLabels } from '../pod/validation.js';
import { nonNegative, numberOf } from '../workload.js';

const maxParallelIndexes = 100_000;
const restartPolicies = ['OnFailure', 'Never'];

/** Checks a Job. Messages and order are those of Kubernetes pkg/apis/batch/validation. */
export function validateJob(job: KubeObject): Cause[] {
  const spec = objectAt(job, 'spec');
  return [
    ...validateGenerated(job, spec),
    ...nonNegative(spec, 'spec', [
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
    ]),
    ...validateMode(spec),
    ...validateTemplate(spec),
    ...validatePodFailurePolicy(spec),
    ...validateReplacement(spec),
    ...validateSelector(spec),
    ...validateIndexNames(job, spec),
    ...nonNegative(objectAt(job, 'status'), 'status', [
      'active',
      'succeeded',
      'failed',
      'ready',
      'terminating',
    ]),
  ];
}

/** Checks that a generated selector names the uid of the Job, and that the pods have the matching labels. */
function validateGenerated({ metadata }: KubeObject, spec: JsonObject): Cause[] {
  if (spec['manualSelector'] === true || valueAt(spec, 'selector') === undefined) return [];
  const field = 'spec.template.metadata.labels';
  const labels = objectAt(spec, 'template', 'metadata', 'labels');
  const { name, uid = '' } = metadata;
  const expected = Object.fromEntries([
    [uidLabels[0], uid],
    [nameLabels[0], name],
    [uidLabels[1], uid],
    [nameLabels[1], name],
  ]) as Record<string, string>;
  const causes = Object.entries(expected).flatMap(([label, value]) => {
    if (labels[label] === value) return [];
    const detail = `must be '${value}'`;
    return labels[label] === undefined
      ? [required(`${field}[${label}]`, detail)]
      : [invalid(`${field}[${label}]`, labels, detail)];
  });
  const selector = objectAt(spec, 'selector');
  if (!matchesLabels(labelSelectorRequirements(selector), expected)) {
    causes.push(invalid('spec.selector', selector, '`selector` not auto-generated'));
  }
  return causes;
}

/** Checks the name of an Indexed Job, from which the host names of its pods are derived. */
function validateIndexNames({ metadata }: KubeObject, spec: JsonObject): Cause[] {
  const completions = numberOf(spec, 'completions');
  if (spec['completionMode'] !== 'Indexed' || completions === 0) return [];
  const hostname = `${metadata.name}-${String(completions - 1)}`;
  if (checkLabel(hostname) === undefined) return [];
  const detail = `will not able to create pod with invalid DNS label: ${hostname}`;
  return [invalid('metadata.name', metadata.name, detail)];
}

function validateMode(spec: JsonObject): Cause[] {
  const mode = textAt(spec, 'completionMode');
  if (mode === 'NonIndexed') return [];
  if (mode !== 'Indexed') return [notSupported('spec.completionMode', mode, ['NonIndexed', 'Indexed'])];
  const causes: Cause[] = [];
  if (spec['completions'] === undefined) {
    causes.push(required('spec.completions', 'when completion mode is Indexed'));
  }
  const parallelism = numberOf(spec, 'parallelism');
  if (parallelism > maxParallelIndexes) {
    const detail = `must be less than or equal to ${String(maxParallelIndexes)} when completion mode is Indexed`;
    causes.push(invalid('spec.parallelism', parallelism, detail));
  }
  return causes;
}

function validateTemplate(spec: JsonObject): Cause[] {
  const template = objectAt(spec, 'template');
  const field = 'spec.template.spec.restartPolicy';
  const causes = [
    ...validateTemplateLabels(template, 'spec.template'),
    ...validatePodSpec(objectAt(template, 'spec'), 'spec.template.spec'),
  ];
  const restart = textAt(template, 'spec', 'restartPolicy');
  if (restart === 'Always') {
    causes.push(required(field, `valid values: ${restartPolicies.map(goQuote).join(', ')}`));
  } else if (!restartPolicies.includes(restart)) {
    causes.push(notSupported(field, restart, restartPolicies));
  } else if (valueAt(spec, 'podFailurePolicy') !== undefined && restart !== 'Never') {
    const detail = 'only "Never" is supported when podFailurePolicy is specified';
    causes.push(invalid(field, restart, detail));
  }
  return causes;
}

/** Checks the podReplacementPolicy. With a podFailurePolicy, only pods that have failed are replaced. */
function validateReplacement(spec: JsonObject): Cause[] {
  const policy = textAt(spec, 'podReplacementPolicy');
  const hasPolicy = valueAt(spec, 'podFailurePolicy') !== undefined;
  const supported = hasPolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  return supported.includes(policy) ? [] : [notSupported('spec.podReplacementPolicy', policy, supported)];
}

function validateSelector(spec: JsonObject): Cause[] {
  if (valueAt(spec, 'selector') === undefined) return [required('spec.selector')];
  const labels = objectAt(spec, 'template', 'metadata', 'labels');
  if (matchesLabels(labelSelectorRequirements(objectAt(spec, 'selector')), labels)) return [];
  return [invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

const immutable = 'field is immutable';

/** Checks a change of a Job: the pod template is immutable. */
export function validateJobUpdate(job: KubeObject, old: KubeObject): Cause[] {
  const [spec, before] = [objectAt(job, 'spec'), objectAt(old, 'spec')];
  const changed = (name: string): boolean => !jsonEqual(spec[name], before[name]);
  const fixed = ['selector', 'template', 'completionMode', 'podFailurePolicy'].filter(
    (name) => changed(name) && !(name === 'template' && isReschedule(old, spec, before)),
  );
  return [
    ...(changed('completions') ? validateCompletions(spec) : []),
    ...fixed.map((name) => invalid(`spec.${name}`, spec[name] ?? null, immutable)),
  ];
}

function validateCompletions(spec: JsonObject): Cause[] {
  const { completions = null, parallelism } = spec;
  if (spec['completionMode'] !== 'Indexed') return [invalid('spec.completions', completions, immutable)];
  if (completions === null || completions === parallelism) return [];
  return [invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism')];
}

/** Scheduling fields, which can change while a Job is suspended and has not started. */
const placement = ['nodeSelector', 'affinity', 'tolerations', 'schedulingGates'];

function isReschedule(old: KubeObject, spec: JsonObject, before: JsonObject): boolean {
  if (before['suspend'] !== true || valueAt(old, 'status', 'startTime') !== undefined) return false;
  return jsonEqual(withoutPlacement(spec), withoutPlacement(before));
}

function withoutPlacement(spec: JsonObject): JsonObject {
  const template = objectAt(spec, 'template');
  const { labels: _labels, annotations: _annotations, ...metadata } = objectAt(template, 'metadata');
  const pod = Object.entries(objectAt(template, 'spec')).filter(([name]) => !placement.includes(name));
  return { ...template, metadata, spec: Object.fromEntries(pod) };
}
