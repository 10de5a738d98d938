import { expect, it } from '@jest/globals';
import { Gate } from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';
import { EvaluationBarrier } from './barrier.js';

const gate = (name: string, resourceVersion = '1'): Gate => ({
  apiVersion: 'gating.toolkit.fluxcd.io/v1alpha1',
  kind: 'Gate',
  metadata: { name, namespace: 'team', resourceVersion },
  spec: { closed: true, maxOverride: '1h', failurePolicy: 'Closed' },
});

/** A cache that reports exactly which versions it has seen. */
class VersionedCache extends MemoryCache<Gate> {
  override readonly progress = {
    listedAt: 0,
    heardAt: 0,
    hasSeen: (key: { namespace?: string | undefined; name: string }, version: string) =>
      this.get(key)?.metadata.resourceVersion === version,
    hasSeenRemoval: () => true,
  };
}

it('opens once, when each initial gate has been evaluated or deleted', () => {
  const cache = new VersionedCache(Gate, gate('a'), gate('b'), gate('c'));
  const barrier = new EvaluationBarrier(cache);
  let opened = 0;
  barrier.onOpen(() => void opened++);
  barrier.evaluated(gate('a'));
  barrier.evaluated(gate('a'));
  cache.set(gate('later'));
  cache.remove({ namespace: 'team', name: 'b' });
  expect([barrier.open, opened]).toEqual([false, 0]);
  barrier.evaluated(gate('c'));
  expect([barrier.open, opened]).toEqual([true, 1]);
  barrier.evaluated(gate('later'));
  expect([barrier.open, opened]).toEqual([true, 1]);
});

it('waits until the cache shows the last write', () => {
  const cache = new VersionedCache(Gate, gate('a'), gate('b'));
  const barrier = new EvaluationBarrier(cache);
  barrier.evaluated(gate('a'));
  barrier.evaluated(gate('b', '2'));
  expect(barrier.open).toBe(false);
  cache.set(gate('b', '2'));
  expect(barrier.open).toBe(true);
});

it('is open from the start if there is no gate', () => {
  expect(new EvaluationBarrier(new VersionedCache(Gate)).open).toBe(true);
});
