import { describe, expect, it } from '@jest/globals';
import { inScope } from './selector.js';

describe('inScope', () => {
  const object = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', namespace: 'argocd' } };
  it.each([
    ['its own namespace by default', undefined, 'argocd', true],
    ['no other by default', undefined, 'team', false],
    ['those that are named', ['a', 'argocd'], 'team', true],
    ['not its own when others are named', ['a'], 'argocd', false],
    ['all with *', ['*'], 'team', true],
  ])('%s', (_case, namespaces, own, expected) => {
    expect(inScope({ metadata: { namespace: own }, spec: { namespaces } }, object)).toBe(expected);
  });
});
