import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { silentLog, Stop } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { Polled } from '../../session/broker-session.js';
import type { Agent } from './agent.js';
import { HealthTracker } from './health.js';
import { defaultTimings } from './options.js';
import { Pollers } from './pollers.js';

const sessions = 8;

type Handle = (polled: Polled) => boolean | Promise<boolean>;

/** The sessions of a source whose registrations succeed while `error` is undefined, with two sessions at most. */
function pollersWith() {
  const clock = new FakeClock();
  const states: string[] = [];
  const health = new HealthTracker(clock, ({ state }) => void states.push(state));
  const registration: { error: TypedError | undefined } = { error: undefined };
  const waiting = new Map<Agent, Handle>();
  const create = (): Agent => {
    const session = {
      sessionId: 'session',
      receive: (_stop: Stop, handle: Handle) =>
        new Promise<void>((resolve) => {
          waiting.set(agent, async (polled) => {
            const continues = await handle(polled);
            if (!continues && waiting.delete(agent)) resolve();
            return continues;
          });
        }),
      close: () => Promise.resolve(),
    };
    const agent = { record: { name: 'r' }, stop: new Stop(), session } as unknown as Agent;
    return agent;
  };
  const agents = {
    register: () => (registration.error ? Promise.reject(registration.error) : Promise.resolve(create())),
    retireAgent: () => Promise.resolve('removed'),
  };
  const pollers = new Pollers({
    agents: agents as unknown as ConstructorParameters<typeof Pollers>[0]['agents'],
    ...{ clock, random: () => 0.5, log: silentLog, timings: defaultTimings, health },
    ...{ life: new AbortController().signal, maxListeners: 2, room: () => 2 },
    onJob: () => Promise.resolve(),
    onCancellation: () => undefined,
    onGone: () => false,
  });
  pollers.open();
  /** Lets every session be answered without a message, each time 50 seconds later. */
  const poll = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      await clock.advance(50_000);
      for (const handle of [...waiting.values()]) {
        health.succeeded();
        await handle({ type: 'idle' });
      }
      await setImmediate();
    }
  };
  return { pollers, registration, poll, states, waiting };
}

const refused = new TypedError('Unauthorized', 'HTTP 403', { reason: 'CredentialUnavailable' });

test('keeps the last session that waits for jobs while no other runner can be registered', async () => {
  const { pollers, registration, poll } = pollersWith();
  await poll(1);
  registration.error = refused;
  pollers.grow();
  await poll(20);
  expect(pollers.sessions).toBe(1);
  registration.error = undefined;
  await poll(20);
  expect(pollers.sessions).toBe(1);
});

test('lets a runner wait again whose offer has expired if no other runner can be registered', async () => {
  const { pollers, registration, poll, waiting } = pollersWith();
  await poll(1);
  registration.error = refused;
  const [agent] = waiting.keys();
  if (agent === undefined) throw new Error('no runner waits');
  pollers.occupy(agent);
  await poll(1);
  expect(pollers.sessions).toBe(0);
  pollers.resume(agent);
  await poll(1);
  expect(pollers.sessions).toBe(1);
});

test('reports once that no other runner can be registered, although a session is answered again and again', async () => {
  const { pollers, registration, poll, states } = pollersWith();
  await poll(1);
  registration.error = refused;
  pollers.grow();
  await poll(20);
  expect(states).toEqual(['polling', 'credentialMissing']);
  registration.error = undefined;
  await poll(20);
  expect(states).toEqual(['polling', 'credentialMissing', 'polling']);
});

test('forgets the failure of a place that its replacement takes', async () => {
  const { pollers, registration, poll, states } = pollersWith();
  await poll(1);
  registration.error = new TypedError('RateLimited', 'no call is left', { retryAfterMs: 3_600_000 });
  pollers.grow();
  await poll(1);
  registration.error = undefined;
  pollers.replaceAll();
  await poll(3);
  expect(states).toEqual(['polling', 'rateLimited', 'polling']);
});

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
