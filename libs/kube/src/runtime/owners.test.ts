import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '@interlock/api';
import { controllerOf, controllerReference, isControlledBy } from './owners.js';

function object(metadata: ObjectMeta): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
}

describe('owners', () => {
  const owner = object({ name: 'web', uid: 'u1' });
  const child = object({
    name: 'web-1',
    ownerReferences: [
      { ...controllerReference(object({ name: 'other', uid: 'u2' })), controller: false },
      controllerReference(owner),
    ],
  });

  it('creates a controller reference', () => {
    expect(controllerReference(owner)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'web',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(() => controllerReference(object({ name: 'new' }))).toThrow('has no uid');
  });

  it('identifies the controller by its uid', () => {
    expect(controllerOf(child)?.name).toBe('web');
    expect(isControlledBy(child, owner)).toBe(true);
    expect(isControlledBy(child, object({ name: 'web', uid: 'u9' }))).toBe(false);
    expect(isControlledBy(object({ name: 'orphan' }), object({ name: 'web' }))).toBe(false);
  });
});
