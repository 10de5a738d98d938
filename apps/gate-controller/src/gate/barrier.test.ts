import { expect, it } from '@jest/globals';
import { Gate } from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';
import { EvaluationBarrier } from './barrier.js';

const gate = (name: string): Gate => ({
  apiVersion: 'gating.toolkit.fluxcd.io/v1alpha1',
  kind: 'Gate',
  metadata: { name, namespace: 'team' },
  spec: { closed: true, maxOverride: '1h', failurePolicy: 'Closed' },
});
const key = (name: string) => ({ namespace: 'team', name });

it('opens once, when each gate of the start has been evaluated or is gone', () => {
  const cache = new MemoryCache<Gate>(Gate, gate('a'), gate('b'), gate('c'));
  const barrier = new EvaluationBarrier(cache);
  let opened = 0;
  barrier.onOpen(() => void opened++);
  barrier.evaluated(key('a'));
  barrier.evaluated(key('a'));
  cache.set(gate('later'));
  cache.remove(key('b'));
  expect([barrier.open, opened]).toEqual([false, 0]);
  barrier.evaluated(key('c'));
  expect([barrier.open, opened]).toEqual([true, 1]);
  barrier.evaluated(key('later'));
  expect([barrier.open, opened]).toEqual([true, 1]);
});

it('is open from the start where there is no gate', () => {
  expect(new EvaluationBarrier(new MemoryCache<Gate>(Gate)).open).toBe(true);
});
