import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { JobConclusion, JobKey } from '../source/job-source.js';
import { eventually } from './eventually.js';
import { limit, type SourceRecorder } from './source-recorder.js';

/** The functions of an implementation and its service that the contract needs. */
export interface JobSourceHarness {
  /** Opens a source with this capacity. */
  open(options: {
    capacity: number;
    held?: Parameters<SourceRecorder['source']['open']>[0];
  }): Promise<SourceRecorder>;
  /** Queues a job, and returns its id at the service. */
  enqueue(): string;
  cancel(jobId: string): void;
  /** Returns the state and the conclusion of a job in the terms of the service. */
  state(jobId: string): { status: string; conclusion: string | undefined };
  /** Reports, as a worker does, that the job of this token runs. */
  startWorker(token: string): Promise<void>;
  /** Ends the process without any further call. */
  crash(): Promise<void>;
  /** Returns the names of the registered runners. */
  runners(): Promise<string[]>;
  /** Returns the violations that the service recorded. */
  violations(): readonly unknown[];
  logLines(): readonly unknown[];
  close(): Promise<void>;
}

async function settledJob(recorder: SourceRecorder, nth = 1) {
  const claimed = await recorder.claimJob(nth);
  await recorder.source.settled(claimed.key, limit());
  return claimed;
}

/** Tests the guarantees of `JobSource`, for every implementation whose claims have a payload. */
export function describeJobSource(start: () => Promise<JobSourceHarness>): void {
  let harness: JobSourceHarness;

  beforeEach(async () => {
    harness = await start();
  });

  afterEach(async () => {
    await harness.close();
    expect(harness.violations()).toEqual([]);
  });

  test('offers a queued job once and returns its payload unchanged', async () => {
    const jobId = harness.enqueue();
    const recorder = await harness.open({ capacity: 2 });
    const { key, claim } = await recorder.claimJob();
    expect(JSON.parse(claim.payload.toString())).toMatchObject({ plan: { planId: claim.identity.planId } });
    expect(claim.run).toMatchObject({ repository: expect.stringContaining('/'), restJobId: jobId });
    expect(recorder.of('offered').map((event) => event.key)).toEqual([key]);
    expect((await recorder.next('bound')).runnerName).toBe(claim.runnerName);
  });

  test('renews and completes a job, and reports that the job has ended when it is completed again', async () => {
    const jobId = harness.enqueue();
    const recorder = await harness.open({ capacity: 2 });
    const { claim } = await settledJob(recorder);
    const lock = recorder.source.lock(claim.lock);
    expect((await lock.renew(limit())).lockedUntil).toBeGreaterThan(Date.now());
    await harness.startWorker(claim.lock.token);
    const conclusion: JobConclusion = 'failed';
    const annotation = { title: 'Lost', message: 'The node failed.' };
    expect(await lock.complete(conclusion, limit(), annotation)).toBe('concluded');
    expect(harness.state(jobId)).toEqual({ status: 'completed', conclusion: 'failure' });
    expect(await lock.complete(conclusion, limit())).toBe('ended');
    await expect(lock.renew(limit())).rejects.toMatchObject({ type: 'NotFound' });
  });

  test('continues to offer jobs while others are claimed', async () => {
    const recorder = await harness.open({ capacity: 5 });
    const keys: JobKey[] = [];
    for (let nth = 1; nth <= 4; nth++) {
      harness.enqueue();
      keys.push((await settledJob(recorder, nth)).key);
    }
    expect(new Set(keys).size).toBe(4);
  });

  test('offers no more jobs than its capacity, and the next one when a place is free', async () => {
    for (let n = 0; n < 3; n++) harness.enqueue();
    const recorder = await harness.open({ capacity: 1 });
    const { key, claim } = await settledJob(recorder);
    await recorder.next('held');
    expect(recorder.of('offered')).toHaveLength(1);
    await harness.startWorker(claim.lock.token);
    await recorder.source.lock(claim.lock).complete('succeeded', limit());
    await recorder.source.release(key, limit());
    await recorder.next('offered', 2);
    expect(recorder.of('offered')).toHaveLength(2);
  });

  test('returns the same claim to concurrent calls, and to calls before the claim is settled', async () => {
    harness.enqueue();
    const recorder = await harness.open({ capacity: 2 });
    const { key } = await recorder.next('offered');
    const [first, second] = await Promise.all([
      recorder.source.claim(key, limit()),
      recorder.source.claim(key, limit()),
    ]);
    expect(second).toBe(first);
    expect(await recorder.source.claim(key, limit())).toBe(first);
  });

  test('refuses to claim a job that it did not offer', async () => {
    const recorder = await harness.open({ capacity: 2 });
    expect(await recorder.source.claim('nothing', limit())).toMatchObject({
      mode: 'refused',
      reason: 'gone',
    });
  });

  test('repeats an offer after a crash between its claim and its record', async () => {
    harness.enqueue();
    const before = await harness.open({ capacity: 2 });
    const { key, claim } = await before.claimJob();
    await harness.crash();
    const after = await harness.open({ capacity: 2 });
    expect(await after.next('offered')).toEqual({ type: 'offered', key, isRepeated: true });
    const again = await after.source.claim(key, limit());
    if (again.mode === 'refused')
      expect(again).toMatchObject({ reason: 'lost', runnerName: claim.runnerName });
    else expect(again).toMatchObject({ identity: claim.identity });
  });

  test('continues a recorded job after a crash, and counts it against the capacity', async () => {
    const jobId = harness.enqueue();
    const before = await harness.open({ capacity: 1 });
    const { key, claim } = await settledJob(before);
    await harness.crash();
    const held = [{ key, identity: claim.identity, runnerName: claim.runnerName }];
    const after = await harness.open({ capacity: 1, held });
    harness.enqueue();
    await after.next('held');
    expect(after.of('offered')).toEqual([]);
    const lock = after.source.lock(claim.lock);
    await lock.renew(limit());
    await harness.startWorker(claim.lock.token);
    await lock.complete('succeeded', limit());
    await after.source.release(key, limit());
    await after.next('offered');
    expect(harness.state(jobId).conclusion).toBe('success');
  });

  test('returns a released offer to the service', async () => {
    harness.enqueue();
    const recorder = await harness.open({ capacity: 1 });
    const { key } = await recorder.next('offered');
    expect(await recorder.source.release(key, limit())).toBe('returned');
    expect(await recorder.source.claim(key, limit())).toMatchObject({ mode: 'refused' });
  });

  test('refuses a claim that is already aborted, and settles a claim soon after its abort', async () => {
    harness.enqueue();
    const recorder = await harness.open({ capacity: 1 });
    const { key } = await recorder.next('offered');
    const reason = new Error('given up');
    await expect(recorder.source.claim(key, AbortSignal.abort(reason))).rejects.toBe(reason);
    const giveUp = new AbortController();
    const claim = recorder.source.claim(key, giveUp.signal);
    giveUp.abort(reason);
    await expect(claim).rejects.toBe(reason);
    expect(await recorder.source.claim(key, limit())).toMatchObject({ key });
  });

  test('retires its runners and ends its events when it is retired', async () => {
    const recorder = await harness.open({ capacity: 1 });
    await eventually(() => recorder.source.sessions === 1, 'a session');
    expect(await recorder.source.close('retire', limit())).toEqual({ pinned: 0 });
    expect(await harness.runners()).toEqual([]);
    expect(recorder.source.sessions).toBe(0);
  });

  test('exposes no token in events and logs', async () => {
    harness.enqueue();
    const recorder = await harness.open({ capacity: 1 });
    const { claim } = await settledJob(recorder);
    const written = JSON.stringify([recorder.events, harness.logLines()]);
    expect(written).not.toContain(claim.lock.token);
    expect(written).toContain(claim.runnerName);
  });
}
