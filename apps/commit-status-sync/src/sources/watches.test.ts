import { describe, expect, it } from '@jest/globals';
import {
  ClusterScmProvider,
  FluxCommitStatus,
  GitRepository,
  keyString,
  ScmProvider,
  typeMeta,
  type Kind,
} from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';
import { flux } from './testing/builders.js';
import { repositoryWatches } from './watches.js';

describe('repositoryWatches', () => {
  const own = flux();
  const other: FluxCommitStatus = { ...own, metadata: { ...own.metadata, namespace: 'other' } };
  const watches = repositoryWatches(new MemoryCache(FluxCommitStatus, own, other));

  it.each<[string, Kind, string | undefined, string[]]>([
    ['GitRepository wakes the sources of its namespace', GitRepository, 'team', ['team/health']],
    ['ScmProvider wakes the sources of its namespace', ScmProvider, 'team', ['team/health']],
    [
      'ClusterScmProvider wakes the sources of all namespaces',
      ClusterScmProvider,
      undefined,
      ['team/health', 'other/health'],
    ],
  ])('a change of a %s', (_title, kind, namespace, woken) => {
    const watch = watches.find((one) => one.kind.kind === kind.kind);
    const metadata = { name: 'changed', ...(namespace !== undefined && { namespace }) };
    expect(watch?.map({ ...typeMeta(kind), metadata }).map(keyString)).toEqual(woken);
  });
});
