import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { validatePodUpdate } from './update-validation.js';

const toleration = { key: 'a', operator: 'Exists', tolerationSeconds: 10 };
const spec = {
  activeDeadlineSeconds: 60,
  containers: [{ name: 'c', image: 'x:1' }],
  initContainers: [{ name: 'i', image: 'x:1' }],
  schedulingGates: [{ name: 'g' }],
  terminationGracePeriodSeconds: 30,
  tolerations: [toleration],
};

function pod(change: JsonObject): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { ...spec, ...change } };
}

/** Returns the problems with a change, as fields and messages. */
function problems(change: JsonObject, old: JsonObject = {}): string[] {
  return validatePodUpdate(pod(change), pod(old)).map(
    ({ field, message }) => `${String(field)}: ${String(message)}`,
  );
}

describe('validatePodUpdate', () => {
  it.each<[string, JsonObject, JsonObject?]>([
    ['images', { containers: [{ name: 'c', image: 'x:2' }], initContainers: [{ name: 'i', image: 'y' }] }],
    ['a shorter deadline', { activeDeadlineSeconds: 30 }],
    [
      'another toleration and other tolerationSeconds',
      { tolerations: [{ key: 'b' }, { ...toleration, tolerationSeconds: 1 }] },
    ],
    ['the removal of scheduling gates', { schedulingGates: [] }],
    [
      'a negative grace period that becomes 1',
      { terminationGracePeriodSeconds: 1 },
      { terminationGracePeriodSeconds: -5 },
    ],
  ])('accepts %s', (_, ...pods) => {
    expect(problems(...pods)).toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    [
      'another container',
      { containers: [...spec.containers, { name: 'd', image: 'x:1' }], activeDeadlineSeconds: 90 },
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ],
    [
      'the removal of an init container',
      { initContainers: [] },
      'spec.initContainers: Forbidden: pod updates may not add or remove containers',
    ],
    [
      'an image with white space',
      { containers: [{ name: 'c', image: 'x:1 ' }] },
      'spec.containers[0].image: Invalid value: "x:1 ": must not have leading or trailing whitespace',
    ],
    [
      'a longer deadline',
      { activeDeadlineSeconds: 61 },
      'spec.activeDeadlineSeconds: Invalid value: 61: must be less than or equal to previous value',
    ],
    [
      'the removal of the deadline',
      { activeDeadlineSeconds: null },
      'spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value',
    ],
    [
      'another toleration in place of the existing toleration',
      { tolerations: [{ ...toleration, key: 'b' }] },
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
    [
      'a new scheduling gate',
      { schedulingGates: [{ name: 'g' }, { name: 'h' }] },
      "spec.schedulingGates.h: Forbidden: only deletion is allowed, but found new scheduling gate 'h'",
    ],
    ['another grace period', { terminationGracePeriodSeconds: 1 }, 'spec: Forbidden: pod updates may not'],
    [
      'another environment',
      { containers: [{ name: 'c', image: 'x:1', env: [] }] },
      'spec: Forbidden: pod updates may not',
    ],
  ])('refuses %s', (_, change, problem) => {
    expect(problems(change)).toEqual([expect.stringContaining(problem)]);
  });
});
