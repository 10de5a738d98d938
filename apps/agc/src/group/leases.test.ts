import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RunnerGroup, TypedError, type Kind, type ObjectKey } from '@interlock/api';
import { aborted, silentLog, type Logger } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { Lease, Manager } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import type { GroupWork } from './group-work.js';
import { GroupLeases } from './leases.js';
import { LedGroups } from './led-groups.js';

/** A server of one Lease, which another replica holds. */
class Server {
  refusal: TypedError | undefined;
  #version = 1;
  #isPresent = true;

  get lease(): Lease | undefined {
    const metadata = { name: 'runnergroup-linux', namespace: 'team', resourceVersion: String(this.#version) };
    const spec = { holderIdentity: 'other', leaseDurationSeconds: 6 };
    return this.#isPresent
      ? { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
      : undefined;
  }

  get(): Promise<Lease> {
    if (this.lease === undefined) return Promise.reject(new TypedError('NotFound', 'no lease'));
    return Promise.resolve(this.lease);
  }

  delete(
    _kind: Kind,
    _key: ObjectKey,
    { resourceVersion }: { resourceVersion?: string } = {},
  ): Promise<void> {
    if (this.refusal !== undefined) return Promise.reject(this.refusal);
    if (resourceVersion !== undefined && resourceVersion !== String(this.#version))
      return Promise.reject(new TypedError('Conflict', 'changed'));
    this.#isPresent = false;
    return Promise.resolve();
  }

  /** Renews the Lease as the other replica does. */
  renew(): void {
    this.#version++;
  }
}

const key = { name: 'linux', namespace: 'team' };
const group: RunnerGroup = {
  apiVersion: 'actions-gateway.github.com/v1alpha1',
  kind: 'RunnerGroup',
  metadata: key,
  spec: { name: 'linux', runnerLabels: ['linux'], podTemplate: {} } as RunnerGroup['spec'],
};
let server: Server;
let clock: FakeClock;
let groups: MemoryCache<RunnerGroup>;
let warnings: string[];
let stop: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  server = new Server();
  clock = new FakeClock();
  groups = new MemoryCache(RunnerGroup, group);
  warnings = [];
  stop = new AbortController();
  const log: Logger = { ...silentLog, warn: (_fields, text) => void warnings.push(text), child: () => log };
  const leases = new GroupLeases({
    manager: { client: server, clock } as unknown as Manager,
    ...{ log, groups, namespace: 'team', identity: 'this', led: new LedGroups(), random: () => 0 },
    createWork: () => {
      throw new Error('this replica leads no group');
    },
  });
  running = leases.run(stop.signal);
  await clock.advance(0);
});
afterEach(async () => {
  stop.abort();
  await running;
});

describe('the Lease of a deleted RunnerGroup that another replica led', () => {
  it('is left to the other replica while that replica renews it', async () => {
    groups.remove(key);
    await clock.advance(0);
    server.renew();
    await clock.advance(60_000);
    expect(server.lease).toBeDefined();
  });

  it('is deleted when the other replica does not renew it', async () => {
    groups.remove(key);
    await clock.advance(0);
    expect(server.lease).toBeDefined();
    await clock.advance(6_000);
    expect(server.lease).toBeUndefined();
  });

  it('is reported when the API server refuses to delete it', async () => {
    server.refusal = new TypedError('Permanent', 'no');
    groups.remove(key);
    await clock.advance(0);
    await clock.advance(6_000);
    expect(warnings).toEqual(['could not delete the Lease of a deleted RunnerGroup; delete the Lease']);
  });
});

it('does not lead after the process was stopped for longer than its Lease, before any timer fires', async () => {
  let stoppedMs = 0;
  const monotonic = (): number => clock.monotonic() + stoppedMs;
  const timers = { now: monotonic, monotonic, setTimeout: clock.setTimeout.bind(clock) };
  const client = {
    get: () => Promise.reject(new TypedError('NotFound', 'no lease')),
    create: (_kind: Kind, lease: Lease) => Promise.resolve(lease),
    update: (_kind: Kind, lease: Lease) => Promise.resolve(lease),
  };
  const led = new LedGroups();
  const leases = new GroupLeases({
    manager: { client, clock: timers } as unknown as Manager,
    ...{ log: silentLog, groups, namespace: 'team', identity: 'this', led, random: () => 0 },
    createWork: () => ({ run: (ending: AbortSignal) => aborted(ending) }) as unknown as GroupWork,
  });
  const ended = leases.run(stop.signal);
  await clock.advance(0);
  expect(led.get('linux')).toBeDefined();
  stoppedMs = 20_000;
  expect(led.get('linux')).toBeUndefined();
  stop.abort();
  await clock.advance(10_000);
  await ended;
});
