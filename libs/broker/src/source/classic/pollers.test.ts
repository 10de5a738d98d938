import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { HealthTracker } from './health.js';
import { defaultTimings } from './options.js';
import { Pollers } from './pollers.js';

const sessions = 8;

test('pauses after the first failure of each session as after one failure, although all of them fail at once', async () => {
  const clock = new FakeClock();
  let registrations = 0;
  const agents = {
    register() {
      registrations += 1;
      return registrations <= sessions
        ? Promise.reject(new TypedError('Transient', 'the service is not reachable'))
        : new Promise(() => undefined);
    },
  };
  const pollers = new Pollers({
    agents: agents as unknown as ConstructorParameters<typeof Pollers>[0]['agents'],
    health: new HealthTracker(clock, () => undefined),
    ...{ clock, random: () => 0.999, log: silentLog, timings: defaultTimings },
    ...{ life: new AbortController().signal, maxListeners: sessions, room: () => sessions },
    onJob: () => Promise.resolve(),
    onCancellation: () => undefined,
    onGone: () => false,
  });
  pollers.open();
  for (let more = 1; more < sessions; more++) pollers.grow();
  await setImmediate();
  expect(registrations).toBe(sessions);
  await clock.advance(defaultTimings.restart.baseMs);
  expect(registrations).toBe(2 * sessions);
});
