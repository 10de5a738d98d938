import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunnerGroup, type Kind, type ObjectKey } from '@interlock/api';
import { aborted } from '@interlock/base';
import { Event, Secret, type CallOptions, type Client } from '@interlock/kube';
import { eventually, type TestManager } from '@interlock/kube/testing';
import { groupOf } from '../src/testing/builders.js';
import { LeapingClock } from './harness/leaping-clock.js';
import { Tenants } from './harness/tenants.js';

const hourMs = 60 * 60_000;
const stuck = 'stuck';
const healthy = Array.from({ length: 6 }, (_, index) => `healthy-${index}`);
/** Calls of a client, except lists and watches, which all tenants share. */
const verbs = ['get', 'create', 'update', 'patch', 'apply', 'delete'] as const;

let tenants: Tenants;
let gmc: TestManager;
const clock = new LeapingClock();
/** The calls of the gmc, as `<verb> <kind>`, by namespace. */
const calls = new Map<string, string[]>();

/** Returns a client that records its calls, and whose read of the Secret of one tenant hangs. */
function observedClient(client: Client): Client {
  const note = (verb: string, kind: Kind, target: ObjectKey | { metadata: ObjectKey }): ObjectKey => {
    const key = 'metadata' in target ? target.metadata : target;
    /* Events are sent asynchronously, at a limited rate. */
    if (kind.kind === Event.kind) return key;
    const known = calls.get(key.namespace ?? '') ?? [];
    calls.set(key.namespace ?? '', [...known, `${verb} ${kind.kind}`]);
    return key;
  };
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      const verb = verbs.find((one) => one === name);
      if (verb === undefined) return method;
      return (kind: Kind, object: ObjectKey, ...rest: unknown[]) => {
        const key = note(verb, kind, object);
        const isStuck = kind.kind === Secret.kind && key.namespace === stuck && key.name === 'github-app';
        return isStuck ? unanswered(rest[0] as CallOptions) : method(kind, object, ...rest);
      };
    },
  });
}

/** Aborts the hanging calls. */
const over = new AbortController();

/** Returns a promise that is never resolved, and that rejects when its signal aborts. */
async function unanswered({ signal = over.signal }: CallOptions): Promise<never> {
  await aborted(AbortSignal.any([signal, over.signal]));
  throw new Error('the call was aborted');
}

beforeAll(async () => {
  tenants = await Tenants.start();
  gmc = tenants.startGmc(observedClient, clock);
});
afterAll(async () => {
  over.abort();
  await gmc.stop();
  await tenants.close();
});

const reasonOf = async (namespace: string, type: string) =>
  (await tenants.condition(namespace, type))?.reason;

describe('the tenants of a gmc', () => {
  it('become ready while the Secrets of other tenants are missing, malformed or unreadable', async () => {
    for (const namespace of [stuck, 'missing', 'malformed']) await tenants.createTenant(namespace);
    await tenants.createSecret('malformed', { privateKey: 'no key' });
    await eventually(() => expect(calls.get(stuck)).toEqual(['get Secret']));
    for (const namespace of healthy) {
      await tenants.createTenant(namespace, { runnerGroups: [groupOf()] });
      await tenants.createSecret(namespace);
    }
    for (const namespace of healthy) await tenants.untilReady(namespace);
    expect(calls.get(stuck)).toEqual(['get Secret']);
    expect(await reasonOf('missing', 'CredentialUnavailable')).toBe('SecretNotFound');
    expect(await reasonOf('malformed', 'Ready')).not.toBe('AllAvailable');
  });

  const untilIdle = () =>
    eventually(async () => {
      for (const namespace of healthy) calls.delete(namespace);
      await new Promise(setImmediate);
      if (healthy.some((namespace) => calls.has(namespace))) throw new Error('the tenants are not idle');
    });

  it('are not reconciled for the jobs of their RunnerGroups', async () => {
    await untilIdle();
    const report = (namespace: string, patch: object) =>
      tenants.client.patch(
        RunnerGroup,
        { name: 'gateway-linux', namespace },
        { type: 'merge', patch: { status: patch } },
        { subresource: 'status' },
      );
    const [busy = '', other = ''] = healthy;
    await report(busy, { activeJobs: 1 });
    await report(other, { activeSessions: 1 });
    await eventually(() => expect(calls.get(other)).toContain('get Secret'));
    expect(calls.get(busy)).toBeUndefined();
  });

  it('cost two reads of Secrets per hour and no write while nothing changes', async () => {
    await untilIdle();
    clock.leap(hourMs);
    const reads = ['get Secret', 'get Secret'];
    await eventually(() =>
      expect(healthy.map((namespace) => calls.get(namespace))).toEqual(healthy.map(() => reads)),
    );
  });
});
