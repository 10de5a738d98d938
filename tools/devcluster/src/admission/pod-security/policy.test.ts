import { describe, expect, it } from '@jest/globals';
import { formatLevel, isStricter, policyOf } from './policy.js';

function read(labels: Record<string, string>): { levels: string[]; messages: string[] } {
  const prefixed = Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]);
  const { policy, causes } = policyOf(Object.fromEntries(prefixed) as Record<string, string>);
  return {
    levels: [policy.enforce, policy.audit, policy.warn].map(formatLevel),
    messages: causes.map(({ field, message }) => `${field}: ${message}`),
  };
}

const privileged = 'privileged:latest';

describe('policyOf', () => {
  it.each<[string, Record<string, string>, string[], string[]]>([
    ['no labels', {}, [privileged, privileged, privileged], []],
    [
      'levels and versions of each mode',
      { enforce: 'baseline', 'enforce-version': 'v1.30', warn: 'restricted', 'audit-version': 'v1.0' },
      ['baseline:v1.30', 'privileged:v1.0', 'restricted:latest'],
      [],
    ],
    [
      'an unknown enforced level as restricted',
      { enforce: 'strict' },
      ['restricted:latest', privileged, privileged],
      [
        'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted',
      ],
    ],
    [
      'an unknown warning level as privileged',
      { warn: 'strict' },
      [privileged, privileged, privileged],
      [
        'metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "strict": must be one of privileged, baseline, restricted',
      ],
    ],
    [
      'invalid versions as latest',
      { 'enforce-version': 'v1.07', 'warn-version': '1.30' },
      [privileged, privileged, privileged],
      [
        'metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: "v1.07": must be "latest" or "v1.x"',
        'metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.30": must be "latest" or "v1.x"',
      ],
    ],
  ])('reads %s', (_what, labels, levels, messages) => {
    expect(read(labels)).toEqual({ levels, messages });
  });
});

it('orders levels from privileged to restricted', () => {
  expect([isStricter('baseline', 'privileged'), isStricter('restricted', 'baseline')]).toEqual([true, true]);
  expect([isStricter('baseline', 'baseline'), isStricter('privileged', 'restricted')]).toEqual([
    false,
    false,
  ]);
});
