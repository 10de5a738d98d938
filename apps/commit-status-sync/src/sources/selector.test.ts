import { describe, expect, it } from '@jest/globals';
import { FluxCommitStatus } from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';
import { inScope, scopeIndex, scopeValues, sourcesNear } from './selector.js';
import { flux } from './testing/builders.js';
import { countReads } from './testing/count-reads.js';

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

describe('sourcesNear', () => {
  const selecting = (name: string, namespace: string, namespaces?: string[]): FluxCommitStatus => {
    const source = flux({ namespaces });
    return { ...source, metadata: { ...source.metadata, name, namespace } };
  };
  const objectIn = (namespace: string) => ({
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'x', namespace },
  });

  it('returns the sources that select in the namespaces of objects, each once, and reads no others', () => {
    const others = Array.from({ length: 100 }, (_, index) => selecting('other', `tenant-${index}`));
    const sources = countReads(
      new MemoryCache(
        FluxCommitStatus,
        selecting('own', 'a'),
        selecting('both', 'b', ['a', 'b', 'a']),
        selecting('every', 'c', ['*']),
        ...others,
      ),
    );
    sources.addIndex(scopeIndex, scopeValues);
    const found = sourcesNear(sources, [objectIn('a'), objectIn('b')]);
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['own', 'both', 'every']);
    expect(sources.reads).toBe(4);
    expect(sourcesNear(sources, [])).toEqual([]);
  });
});
