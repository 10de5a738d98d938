import { describe, expect, it } from '@jest/globals';
import { TypedError, type ErrorType, type GitRepository } from '@interlock/api';
import { Problem } from '@interlock/base';
import { gitRepository } from '../testing/objects.js';
import { explain, problemForDependents } from './problem.js';

const repository = gitRepository({ spec: { github: { owner: 'acme', name: 'wbe' } } });

describe('explain', () => {
  it.each<[ErrorType, string]>([
    ['NotFound', 'spec.github (acme/wbe): says the forge'],
    ['Invalid', 'spec.github (acme/wbe): says the forge'],
    ['Unauthorized', 'spec.scmProviderRef (the Secret of ScmProvider forge): says the forge'],
    ['Transient', 'spec.scmProviderRef (ScmProvider forge): says the forge'],
    ['Permanent', 'spec.scmProviderRef (ScmProvider forge): says the forge'],
  ])('names the field that causes %s', (type, message) => {
    const error = new TypedError(type, 'says the forge', { reason: 'Because', retryAfterMs: 5 });
    expect(explain(repository, error)).toMatchObject({
      type,
      message,
      reason: 'Because',
      retryAfterMs: 5,
      cause: error,
    });
  });
});

describe('the name of a repository', () => {
  const messageOf = (spec: Omit<GitRepository['spec'], 'scmProviderRef'>): string => {
    const named = { ...repository, spec: { scmProviderRef: repository.spec.scmProviderRef, ...spec } };
    return explain(named, new TypedError('NotFound', 'no')).message;
  };

  it('begins with its owner, in whichever order the API server returns the fields', () => {
    expect(messageOf({ github: { name: 'missing', owner: 'acme' } })).toBe('spec.github (acme/missing): no');
    expect(messageOf({ gitlab: { name: 'web', namespace: 'acme/platform', projectID: 7 } })).toBe(
      'spec.gitlab (acme/platform/web): no',
    );
  });
});

describe('problemForDependents', () => {
  it('names the field that refers to the repository', () => {
    const error = explain(repository, new TypedError('NotFound', 'says the forge'));
    const message =
      'spec.repoRef.name: GitRepository team/web cannot be used: spec.github (acme/wbe): says the forge';
    expect(problemForDependents(repository.metadata, error)).toEqual(
      new Problem('NotFound', message, { transient: false }),
    );
  });
});
