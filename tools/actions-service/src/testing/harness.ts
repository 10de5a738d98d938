import { FakeClock } from '@interlock/base/testing';
import type { Agent } from 'undici';
import {
  RunnerKeys,
  startActionsService,
  type ActionsService,
  type ActionsServiceOptions,
} from '../index.js';
import { generateKeyPairSync } from 'node:crypto';
import { TestClient, type TestSession } from './client.js';

export interface Harness {
  clock: FakeClock;
  service: ActionsService;
  client: TestClient;
  /** Token of the installation. */
  token: string;
  connect(name: string, labels?: string[]): Promise<TestSession>;
}

const closers: (() => Promise<void>)[] = [];
const runnerKeys = new RunnerKeys(1);
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** Ends the services of a test; each test file calls it after each test. */
export async function closeHarnesses(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

/** Starts a service on a fake clock, with a client that has a token of the installation. */
export async function startHarness(
  options: ActionsServiceOptions = {},
  agent: Agent.Options = {},
): Promise<Harness> {
  const clock = new FakeClock();
  const app = { id: 12_345, clientId: 'Iv23liTest', privateKey };
  const service = await startActionsService({ clock, runnerKeys, app, ...options });
  const client = new TestClient(service, () => clock.now(), agent);
  closers.push(async () => {
    await client.close();
    await service.close();
  });
  const token = await client.installationToken();
  const sessions = options.dialect === 'seed' ? 'sessions' : 'session';
  return {
    clock,
    service,
    client,
    token,
    connect: (name, labels) => client.connect(token, name, labels, sessions),
  };
}

/** Waits until a condition that does not depend on the clock holds. @throws Error after a minute. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition does not hold');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits until this many polls wait in the service. */
export function pollsWaiting(service: ActionsService, count: number): Promise<void> {
  return until(
    () =>
      service.journal
        .entries({ route: '/broker/message' })
        .filter(({ durationMs }) => durationMs === undefined).length >= count,
  );
}
