import { expect, it } from '@jest/globals';
import { CommitStatus, keyOf, type ObjectKey } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import { MemoryCache } from '@interlock/kube/testing';
import { createCaches } from '../caches.js';
import { createStatusReaders } from '../promotion/status-reads.js';
import { byCommit } from '../promotion/statuses.js';
import { commitStatus, sha } from '../promotion/testing/builders.js';
import { promotionStrategy, proposedCommit } from '../testing/objects.js';
import { wakeReaders } from './dependents.js';
import { addValidityTimers } from './validity.js';

it('wakes the objects that read a CommitStatus when its success ends, whichever GitRepository it names', async () => {
  const caches = createCaches({ cache: (kind) => new MemoryCache(kind) });
  const reads = createStatusReaders();
  const stored = <T>(cache: unknown, ...objects: T[]) =>
    objects.forEach((object) => (cache as { set(object: T): void }).set(object));
  const names = Array.from({ length: 50 }, (_, n) => `s${n}`);
  stored(caches.strategies, ...names.map((name) => promotionStrategy({ metadata: { name } })));
  stored(caches.proposedCommits, ...names.map((name) => proposedCommit({ metadata: { name } })));
  for (const object of caches.strategies.list())
    reads.strategies.recorded(object, byCommit([]))(object.metadata.name === 's7' ? sha('aa') : sha('bb'));
  for (const object of caches.proposedCommits.list())
    reads.proposedCommits.recorded(
      object,
      byCommit([]),
    )(object.metadata.name === 's8' ? sha('aa') : sha('bb'));

  const woken: string[] = [];
  const handle = (kind: string) => ({ enqueue: ({ name }: ObjectKey) => void woken.push(`${kind} ${name}`) });
  const dependents = {
    strategies: handle('strategy'),
    proposedCommits: handle('proposed commit'),
    reverts: handle('revert'),
  };
  const clock = new FakeClock(0);
  const statuses = new MemoryCache(CommitStatus);
  addValidityTimers({ clock, add: () => undefined }, statuses, (status) =>
    wakeReaders(caches, reads, dependents, status),
  );
  const valid = (name: string, validUntil: string): CommitStatus => {
    const status = commitStatus(name, 'health', sha('aa'), 'success');
    return { ...status, spec: { ...status.spec, repoRef: { name: 'again' }, validUntil } };
  };
  statuses.set(valid('one', '1970-01-01T00:01:00Z'));
  const gone = valid('gone', '1970-01-01T00:00:30Z');
  statuses.set(gone);
  statuses.remove(keyOf(gone));
  await clock.advance(59_000);
  expect(woken).toEqual([]);
  await clock.advance(1_000);
  expect(woken).toEqual(['strategy s7', 'proposed commit s8']);
});
