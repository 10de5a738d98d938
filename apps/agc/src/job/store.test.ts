import { expect, it } from '@jest/globals';
import { keyOf, payloadChunkBytes, payloadChunkKey, runnerAnnotations } from '@interlock/api';
import type { Claim } from '@interlock/broker';
import { Secret } from '@interlock/kube';
import { decideJob } from './decide.js';
import { encodeRecord } from './record.js';
import { JobStore, recordOf } from './store.js';
import { claimOf, group, now, observedJob, record } from './testing/builders.js';
import { MemoryClient } from './testing/memory-client.js';

const claimWith = (payload: string, key?: string): Claim => claimOf(key, { payload: Buffer.from(payload) });
const text = (character: string, bytes = payloadChunkBytes + 1): string => character.repeat(bytes);

/** A store of jobs, and a function that returns the stored payload. */
function createStore() {
  const memory = new MemoryClient();
  const store = new JobStore(memory.client);
  const payload = (): string =>
    ['job-plan-1', 'job-plan-1-1']
      .map((name, part) => {
        const secret = memory.read(Secret, { name, namespace: 'team-a' });
        return Buffer.from(secret?.data?.[payloadChunkKey(part)] ?? '', 'base64').toString();
      })
      .join('');
  const create = (claim: Claim) => store.create(group, claim, now, AbortSignal.timeout(60_000));
  return { memory, store, create, payload };
}

it('stores the payload of a repeated claim, of which an earlier process had stored another part', async () => {
  const { memory, create, payload } = createStore();
  memory.after = () => {
    throw new Error('the process ended');
  };
  await expect(create(claimWith(text('a')))).rejects.toThrow('the process ended');
  memory.after = () => undefined;
  const repeated = text('b', payloadChunkBytes + 5);
  expect(await create(claimWith(repeated))).toBe('created');
  /* A failure would print the payloads. */
  expect(payload() === repeated).toBe(true);
});

it('does not change the payload of a recorded job when another delivery of it is claimed', async () => {
  const { create, payload } = createStore();
  expect(await create(claimWith(text('a')))).toBe('created');
  expect(await create(claimWith(text('b'), 'request-2'))).toBe('duplicate');
  expect(payload() === text('a')).toBe(true);
});

it('records a job with the beginning of names that are too long for a record', async () => {
  const { memory, create } = createStore();
  const long = 'a'.repeat(1025);
  const run = { repository: 'acme/web', runId: '42', jobName: long, workflow: long };
  expect(await create(claimOf('request-1', { run }))).toBe('created');
  const secret = memory.read(Secret, { name: 'job-plan-1', namespace: 'team-a' });
  const name = expect.stringMatching(/^a{1000,}…$/);
  expect(recordOf(secret!)?.run).toEqual({ ...run, jobName: name, workflow: name });
});

it('records the time and the timeout of the first cancellation of a job', async () => {
  const { memory, store, create } = createStore();
  await create(claimOf());
  const key = { name: 'job-plan-1', namespace: 'team-a' };
  const cancel = (at: number, timeoutMs: number | undefined) =>
    store.markCancelled(key, { at, timeoutMs }, AbortSignal.timeout(60_000));
  expect(await cancel(now, 900_000)).toBe(true);
  expect(await cancel(now + 1, undefined)).toBe(true);
  const cancelled = { cancelledAt: now, cancelTimeoutMs: 900_000 };
  expect(recordOf(memory.read(Secret, key)!)).toMatchObject(cancelled);
});

it('records the end of a job whose pod was refused with a reason as long as a record may have', async () => {
  const { memory, store } = createStore();
  const observed = observedJob({ record: { refusals: 6, refusal: 'a'.repeat(1000) } });
  observed.secret = memory.put(Secret, observed.secret) as Secret;
  const decision = decideJob(observed, now);
  const end = decision.type === 'conclude' ? decision.end : undefined;
  await store.update(observed, { phase: 'Concluding', end }, AbortSignal.timeout(60_000));
  const stored = memory.read(Secret, keyOf(observed.secret));
  const message = expect.stringMatching(/^the worker pod was refused 6 times: a+…$/);
  expect(recordOf(stored!)?.end).toEqual({ ...end, message });
});

it('refuses another delivery of a job that has as many as a later process reads', async () => {
  const { memory, store, create } = createStore();
  await create(claimOf());
  const key = { name: 'job-plan-1', namespace: 'team-a' };
  const add = (n: number) => store.addSibling(key, claimOf(`sibling-${n}`), AbortSignal.timeout(60_000));
  for (let n = 1; n <= 64; n++) await add(n);
  await expect(add(65)).rejects.toMatchObject({ type: 'Permanent', reason: 'TooManyDeliveries' });
  await add(64);
  expect(recordOf(memory.read(Secret, key)!)?.siblings).toHaveLength(64);
});

it('decodes the record of a Secret once, because a RunnerGroup reads those of all jobs at each event', () => {
  const annotations = { [runnerAnnotations.jobRecord]: encodeRecord(record) };
  const secret = { metadata: { name: 'job-plan-1', annotations } };
  const first = recordOf(secret);
  expect(first).toEqual(record);
  expect(recordOf({ ...secret })).toBe(first);
  annotations[runnerAnnotations.jobRecord] = encodeRecord({ ...record, refusals: 1 });
  expect(recordOf(secret)?.refusals).toBe(1);
});
