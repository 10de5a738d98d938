import { describe, expect, it } from '@jest/globals';
import { inScope } from './selector.js';

describe('inScope', () => {
  const object = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', namespace: 'argocd' } };
  it.each([
    ['includes the own namespace by default', undefined, 'argocd', true],
    ['includes no other namespace by default', undefined, 'team', false],
    ['includes the namespaces that are named', ['a', 'argocd'], 'team', true],
    ['does not include the own namespace when others are named', ['a'], 'argocd', false],
    ['includes all namespaces with *', ['*'], 'team', true],
  ])('%s', (_case, namespaces, own, expected) => {
    expect(inScope({ metadata: { namespace: own }, spec: { namespaces } }, object)).toBe(expected);
  });
});
