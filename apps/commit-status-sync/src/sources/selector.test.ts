import { describe, expect, it } from '@jest/globals';
import { inScope } from './selector.js';

describe('inScope', () => {
  const object = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', namespace: 'argocd' } };
  it.each([
    ['includes its own namespace by default', undefined, 'argocd', true],
    ['does not include another namespace by default', undefined, 'team', false],
    ['includes the namespaces that are named', ['a', 'argocd'], 'team', true],
    ['does not include its own namespace when others are named', ['a'], 'argocd', false],
    ['includes all namespaces with *', ['*'], 'team', true],
  ])('%s', (_case, namespaces, own, expected) => {
    expect(inScope({ metadata: { namespace: own }, spec: { namespaces } }, object)).toBe(expected);
  });
});
