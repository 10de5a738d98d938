import { expect, it } from '@jest/globals';
import { fluxKinds } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import { createClient } from '@interlock/kube';
import { TestManager } from '@interlock/kube/testing';
import { FluxCaches } from './caches.js';

/* No server listens there, and nothing is requested before the manager runs. */
const kubeConfig = {
  clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'none', user: {} }],
  contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
  'current-context': 'none',
};
const client = createClient({ kubeConfig, userAgent: 'test', defaultFieldManager: 'test' });
const clock = new FakeClock();

it.each([-3_600_000, 3_600_000])(
  'waits ten seconds from the first read for unreadable objects when the clock jumps by %d ms',
  async (stepMs) => {
    const { manager, log, random } = new TestManager(client, clock, 'test');
    const caches = new FluxCaches({ manager, log, random });
    const read = (): { ended: boolean } => {
      const reading = { ended: false };
      void caches.read(fluxKinds, new AbortController().signal).then(() => (reading.ended = true));
      return reading;
    };
    const first = read();
    await clock.advance(4_000);
    clock.set(stepMs);
    const second = read();
    await clock.advance(5_900);
    expect([first.ended, second.ended]).toEqual([false, false]);
    await clock.advance(100);
    expect([first.ended, second.ended]).toEqual([true, true]);
    expect(caches.unread()).toHaveLength(fluxKinds.length);
  },
);
