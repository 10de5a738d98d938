import { expect, it } from '@jest/globals';
import { GateBinding, keyString } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import { createClient } from '@interlock/kube';
import { MemoryCache, TestManager } from '@interlock/kube/testing';
import { HoldActuator } from './actuator.js';
import { binding, verdict } from './testing/builders.js';

/* No server listens there, and nothing is requested before the manager runs. */
const kubeConfig = {
  clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'none', user: {} }],
  contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
  'current-context': 'none',
};
const client = createClient({ kubeConfig, userAgent: 'test', defaultFieldManager: 'test' });

it('wakes no other binding of the namespace when a binding changes whose objects depend on none of theirs', async () => {
  const clock = new FakeClock();
  const { manager, events, log, random } = new TestManager(client, clock, 'test');
  const all = Array.from({ length: 100 }, (_, index) => binding({}, `binding-${index}`));
  const bindings = new MemoryCache<GateBinding>(GateBinding, ...all);
  const judge = { judge: () => verdict('Open'), settled: true, subscribe: () => undefined };
  const metrics = { actuationFailed: () => undefined };
  const parts = { manager, events, log, metrics, random, bindings, judge, decidersOf: () => [] };
  const woken: string[] = [];
  new HoldActuator(parts).subscribe((key) => woken.push(keyString(key)));
  await clock.advance(10_000);
  woken.length = 0;
  const { metadata, ...rest } = binding({ refs: [{ name: 'other' }] }, 'binding-7');
  bindings.set({ ...rest, metadata: { ...metadata, generation: 2 } });
  await clock.advance(10_000);
  expect(woken).toEqual([]);
});
