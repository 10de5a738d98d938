import { afterEach, describe, expect, test } from '@jest/globals';
import type { ServiceFaultEffect } from '@interlock/actions-service';
import { ClassicFixture, job, type FixtureOptions } from '../../testing/classic-fixture.js';
import { eventually } from '../../testing/eventually.js';
import { limit, type SourceRecorder } from '../../testing/source-recorder.js';
import type { Claim } from '../job-source.js';

let fixture: ClassicFixture;
let recorder: SourceRecorder;

afterEach(async () => {
  await fixture.close();
  expect(fixture.service.violations).toEqual([]);
});

/** Opens a source and lets it claim a job; the source still polls for the runner of the job. */
async function claimJob(options: FixtureOptions = {}): Promise<Claim & { runId: string }> {
  const { service: changes, ...others } = options;
  fixture = await ClassicFixture.start({
    ...{ maxListeners: 1, service: { busyPolls: true, ...changes } },
    ...others,
  });
  const { runId } = fixture.service.enqueue(job);
  recorder = await fixture.open();
  const { key, claim } = await recorder.claimJob();
  await recorder.source.settled(key, limit());
  return { ...claim, runId };
}

const busyPolls = () =>
  fixture.service.journal.entries({ route: '/broker/message' }).filter(({ path }) => path.includes('Busy'));
const claims = () => fixture.service.journal.entries({ route: '/run/{shard}/acquirejob' });
const sessionOf = ({ runnerName }: Claim): string =>
  fixture.service.runners().find(({ name }) => name === runnerName)?.session ?? '';
const renew = ({ lock }: Claim) => recorder.source.lock(lock).renew(limit());

/** Cancels the run of a job as a user does, and waits until the source reports that. */
async function expectCancellation({ key, runId }: Claim & { runId: string }): Promise<void> {
  fixture.service.cancelRun(runId);
  await fixture.forwardUntil(() => recorder.of('cancelled')[0], 'the cancellation', 5_000);
  expect(recorder.of('cancelled')).toEqual([{ type: 'cancelled', key, timeoutMs: 300_000 }]);
}

describe('a claimed job', () => {
  test.each<[string, (claim: Claim) => void]>([
    ['whose session expires', (claim) => void fixture.service.expireSession(sessionOf(claim))],
    ['whose token ends', () => fixture.service.expireTokens('runner')],
  ])('%s is renewed, and its cancellation arrives', async (_name, happen) => {
    const claim = await claimJob({ service: { timings: { pollHold: 1_000 } } });
    await eventually(() => busyPolls().length > 0, 'a poll of the runner');
    happen(claim);
    expect((await renew(claim)).lockedUntil).toBeGreaterThan(fixture.clock.now());
    await expectCancellation(claim);
    expect(claims()).toHaveLength(1);
  });

  test.each<[string, ServiceFaultEffect]>([
    ['is not found', { kind: 'status', status: 404, body: { errorKind: 'RunnerNotFound' } }],
    ['is not authorized', { kind: 'unauthorized' }],
    ['is answered with nothing', { kind: 'status', status: 200 }],
  ])('is renewed and concluded although its runner %s', async (_name, effect) => {
    const claim = await claimJob({ service: { timings: { pollHold: 100 } } });
    const fault = fixture.service.faults.add({ match: { path: '*Busy*' }, effect, times: Infinity });
    await fixture.forwardUntil(() => fault.hits > 0, 'a poll of the runner', 5_000);
    fixture.clock.forward(60_000);
    await renew(claim);
    await fixture.startWorker(claim.lock.token);
    expect(await recorder.source.lock(claim.lock).complete('succeeded', limit())).toBe('concluded');
    await recorder.source.release(claim.key, limit());
    await fixture.forwardUntil(
      () => fixture.service.runners().every(({ name }) => name !== claim.runnerName),
      'the removal of the runner',
      5_000,
    );
    expect(recorder.of('withdrawn')).toEqual([]);
  });

  test('is no longer polled for when GitHub has removed its runner', async () => {
    const claim = await claimJob({ service: { busyPolls: false } });
    const session = fixture.store.records.get(claim.runnerName)?.sessionId ?? 'none';
    const polls = (): number => busyPolls().length;
    await fixture.forwardUntil(() => polls() > 1, 'the end of the polls');
    fixture.service.enqueue(job);
    expect((await recorder.claim(2)).claim).toMatchObject({ mode: 'payload' });
    fixture.clock.forward(5 * 60_000);
    await renew(claim);
    const refused = busyPolls().filter(({ status, path }) => status === 401 && path.includes(session));
    expect(refused.length).toBeLessThanOrEqual(2);
    expect(new Set(fixture.store.phases)).not.toContain('retiring');
  });

  test('does not affect the health of the source when GitHub has removed its runner and those of other jobs', async () => {
    await claimJob({ service: { busyPolls: false } });
    for (let count = 2; count <= 4; count++) {
      fixture.service.enqueue(job);
      await recorder.claim(count);
    }
    const refused = () => busyPolls().filter(({ status }) => status === 401);
    await fixture.forwardUntil(() => refused().length >= 4, 'a refused poll of each runner');
    await fixture.forwardUntil(() => recorder.source.sessions === 1, 'a session');
    expect(recorder.of('health').map(({ health }) => health.state)).toEqual(['polling']);
  });

  test('is not claimed again when it is delivered again', async () => {
    const claim = await claimJob();
    await eventually(() => busyPolls().length > 0, 'a poll of the runner');
    const [{ delivery } = {}] = [...fixture.store.records.values()].filter(
      ({ name }) => name === claim.runnerName,
    );
    const body = { runner_request_id: claim.key, run_service_url: delivery?.runServiceUrl };
    const before = busyPolls().length;
    fixture.service.sendMessage(sessionOf(claim), 'RunnerJobRequest', JSON.stringify(body));
    await fixture.forwardUntil(() => busyPolls().length > before, 'another poll', 5_000);
    expect([claims().length, recorder.of('offered').length]).toEqual([1, 1]);
  });

  test('that has ended is not reported as cancelled', async () => {
    const claim = await claimJob();
    await eventually(() => busyPolls().length > 0, 'a poll of the runner');
    await fixture.startWorker(claim.lock.token);
    const session = sessionOf(claim);
    await recorder.source.lock(claim.lock).complete('succeeded', limit());
    fixture.service.sendMessage(session, 'JobCancellation', JSON.stringify({ jobId: claim.key }));
    await recorder.source.release(claim.key, limit());
    await fixture.forwardUntil(() => recorder.source.sessions === 1, 'a session');
    expect(recorder.of('cancelled')).toEqual([]);
  });
});

test('a job that a user cancels before it is claimed is withdrawn', async () => {
  fixture = await ClassicFixture.start({ maxListeners: 1 });
  const { runId } = fixture.service.enqueue(job);
  recorder = await fixture.open();
  const { key } = await recorder.next('offered');
  fixture.service.cancelRun(runId);
  const claim = await recorder.source.claim(key, limit());
  expect(claim).toMatchObject({ mode: 'refused', reason: 'gone' });
  expect(claims().map(({ status }) => status)).toEqual([404]);
});
