import { afterEach, expect, test } from '@jest/globals';
import { heldJob, offerOf, type TestSession } from './testing/client.js';
import { closeHarnesses, pollsWaiting, startHarness, type Harness } from './testing/harness.js';

afterEach(closeHarnesses);

const minute = 60_000;
const job = { repository: 'acme/web', labels: ['linux'] };

/** Starts a poll, advances the time, and returns the answer. */
async function pollAfter({ clock, service }: Harness, session: TestSession, ms: number) {
  const poll = session.poll();
  await pollsWaiting(service, 1);
  await clock.advance(ms);
  return poll;
}

test('a runner for one job receives an empty answer to its first poll after it has acquired the job, and then 401', async () => {
  const { service, connect, client } = await startHarness();
  const session = await connect('r1');
  service.enqueue(job);
  const held = await session.take();
  expect(await session.poll()).toMatchObject({ status: 200, text: '' });
  expect((await session.poll()).status).toBe(401);
  expect((await client.exchange(session.runner)).json).toMatchObject({ error: 'invalid_client' });
  await session.start(held);
  await session.complete(held);
  expect((await session.poll()).status).toBe(401);
  expect(service.runners()).toEqual([]);
  expect(service.violations).toEqual([]);
});

test('a running job pins its runner, which cannot be deleted', async () => {
  const { service, connect, client, token } = await startHarness();
  const session = await connect('r1');
  service.enqueue(job);
  await session.take();
  const path = `orgs/acme/actions/runners/${String(session.runner.id)}`;
  expect((await client.rest('DELETE', path, token)).status).toBe(422);
});

test('an offer that is not acquired is delivered again after a second, with a new message id', async () => {
  const harness = await startHarness();
  const session = await harness.connect('r1');
  harness.service.enqueue(job);
  const first = await session.poll();
  const second = await pollAfter(harness, session, 1_000);
  expect(offerOf(second)).toEqual(offerOf(first));
  expect(second.text.slice(0, 40)).not.toBe(first.text.slice(0, 40));
});

test('an offer whose window has passed is no longer valid, and the job is offered to another session', async () => {
  const { service, connect, clock } = await startHarness();
  const first = await connect('r1');
  service.enqueue(job);
  const offer = await first.offer();
  const second = await connect('r2');
  await clock.advance(120_000);
  const other = await second.offer();
  expect(other.requestId).not.toBe(offer.requestId);
  expect((await first.acquire(offer)).status).toBe(404);
  expect((await second.acquire(other)).status).toBe(200);
  expect((await first.acquire(offer)).status).toBe(409);
});

test.each(['conflict', 'same'] as const)(
  'a repeated acquisition is answered as configured: %s',
  async (acquireRepeat) => {
    const { service, connect } = await startHarness({ acquireRepeat });
    const session = await connect('r1');
    service.enqueue(job);
    const offer = await session.offer();
    const held = heldJob(await session.acquire(offer));
    const again = await session.acquire(offer);
    expect(again.status).toBe(acquireRepeat === 'same' ? 200 : 409);
    if (acquireRepeat === 'same') expect(heldJob(again).token).toBe(held.token);
  },
);

test('a started job whose lock expires fails as lost', async () => {
  const { service, connect, clock } = await startHarness();
  const session = await connect('r1');
  const { id } = service.enqueue(job);
  const held = await session.take();
  await session.start(held);
  await clock.advance(9 * minute);
  expect((await session.renew(held)).status).toBe(200);
  await clock.advance(10 * minute - 1);
  expect(service.job(id)).toMatchObject({ status: 'in_progress' });
  await clock.advance(1);
  expect(service.job(id)).toMatchObject({ conclusion: 'failure', cause: 'lost-communication' });
  expect((await session.renew(held)).status).toBe(404);
  expect(service.violations).toEqual([]);
  await clock.advance(minute);
  await session.renew(held);
  expect(service.violations.map(({ rule }) => rule)).toEqual(['renew-after-expiry']);
  expect(service.verdict()).toMatchObject({ lost: 1, lockExpired: 1 });
});

test('a job that is acquired and not started cancels its run after 15 minutes', async () => {
  const { service, connect, clock } = await startHarness();
  const session = await connect('r1');
  const { id } = service.enqueue(job);
  await session.take();
  await clock.advance(15 * minute - 1);
  expect(service.job(id)?.status).toBe('in_progress');
  await clock.advance(1);
  expect(service.job(id)).toMatchObject({ conclusion: 'cancelled', cause: 'unstarted' });
  expect(service.runners()).toEqual([]);
});

test('renewals keep the lock of a job that is not started', async () => {
  const { service, connect, clock } = await startHarness();
  const session = await connect('r1');
  const { id } = service.enqueue(job);
  const held = await session.take();
  for (let minutes = 0; minutes < 30; minutes++) {
    await clock.advance(minute);
    expect((await session.renew(held)).status).toBe(200);
  }
  expect(service.job(id)?.status).toBe('in_progress');
});

test('a second worker for one attempt is counted as a job that ran twice', async () => {
  const { service, connect } = await startHarness();
  const session = await connect('r1');
  service.enqueue(job);
  const held = await session.take();
  await session.start(held, 'a');
  await session.start(held, 'a');
  expect(service.verdict().runTwice).toBe(0);
  await session.start(held, 'b');
  expect(service.verdict().runTwice).toBe(1);
  expect(service.violations.map(({ rule }) => rule)).toEqual(['run-twice']);
});

test.each([
  ['failed', 401, undefined, []],
  ['abandoned', 204, 'success', ['complete-never-run']],
  ['canceled', 204, 'success', ['complete-never-run']],
])(
  'the completion of a job that never ran as %s is answered with %s',
  async (conclusion, status, expected, rules) => {
    const { service, connect } = await startHarness();
    const session = await connect('r1');
    const { id } = service.enqueue(job);
    const held = await session.take();
    expect((await session.complete(held, conclusion)).status).toBe(status);
    expect(service.job(id)?.conclusion).toBe(expected);
    expect(service.violations.map(({ rule }) => rule)).toEqual(rules);
  },
);

test('a job that a user cancelled may be completed as cancelled without having run', async () => {
  const { service, connect } = await startHarness();
  const session = await connect('r1');
  const { id, runId } = service.enqueue(job);
  const held = await session.take();
  service.cancelRun(runId);
  expect((await session.complete(held, 'canceled')).status).toBe(204);
  expect(service.job(id)).toMatchObject({ conclusion: 'cancelled', cause: 'cancelled' });
  expect(service.violations).toEqual([]);
});

test('siblings receive a job with the same plan, and a sibling that is not completed cancels the run', async () => {
  const { service, connect, clock } = await startHarness();
  const [a, b] = [await connect('r1'), await connect('r2')];
  const offers = [a.offer(), b.offer()];
  await pollsWaiting(service, 2);
  const { id, runId } = service.enqueue({ ...job, siblings: 1 });
  const [one, two] = await Promise.all(offers);
  expect(one!.requestId).not.toBe(two!.requestId);
  const [winner, sibling] = [heldJob(await a.acquire(one!)), heldJob(await b.acquire(two!))];
  expect(winner.planId).toBe(sibling.planId);
  await a.start(winner);
  expect((await a.complete(winner)).status).toBe(204);
  expect(service.job(id)?.conclusion).toBe('success');
  await clock.advance(15 * minute);
  expect(service.events.entries({ type: 'run-completed', run: runId })).toMatchObject([
    { conclusion: 'cancelled' },
  ]);
});

test('completed siblings do not change the result of the run', async () => {
  const { service, connect } = await startHarness();
  const [a, b] = [await connect('r1'), await connect('r2')];
  const offers = [a.offer(), b.offer()];
  await pollsWaiting(service, 2);
  service.enqueue({ ...job, siblings: 1 });
  const [one, two] = await Promise.all(offers);
  const [winner, sibling] = [heldJob(await a.acquire(one!)), heldJob(await b.acquire(two!))];
  await a.start(winner);
  await a.complete(winner);
  expect(service.events.counts()['run-completed']).toBeUndefined();
  expect((await b.complete(sibling)).status).toBe(204);
  expect(service.events.entries({ type: 'run-completed' })).toMatchObject([{ conclusion: 'success' }]);
  expect(service.violations).toEqual([]);
});

test('a runner that has a job is not offered another job, not even a sibling', async () => {
  const { service, connect } = await startHarness({ busyPolls: true });
  const [busy, idle] = [await connect('r1'), await connect('r2')];
  service.enqueue(job);
  await busy.take();
  const polls = [busy.poll(), idle.poll()];
  await pollsWaiting(service, 2);
  const { id } = service.enqueue({ ...job, siblings: 1 });
  expect(service.events.entries({ type: 'job-offered', job: id })).toMatchObject([
    { runner: idle.runner.id },
  ]);
  await polls[1];
  expect(service.expireSession(busy.id)).toBe(true);
  await polls[0];
});

test('a cancelled run ends after the grace period, and a force-cancelled run ends at once', async () => {
  const { service, connect, clock } = await startHarness();
  const [a, b] = [await connect('r1'), await connect('r2', ['other'])];
  const first = service.enqueue(job);
  const second = service.enqueue({ ...job, labels: ['other'] });
  await a.start(await a.take());
  await b.start(await b.take());
  service.cancelRun(first.runId);
  service.forceCancelRun(second.runId);
  await clock.advance(1_000);
  expect(service.job(second.id)?.conclusion).toBe('cancelled');
  expect(service.job(first.id)?.conclusion).toBeUndefined();
  await clock.advance(5 * minute);
  expect(service.job(first.id)?.conclusion).toBe('cancelled');
  expect(service.events.counts()['run-completed']).toBe(2);
  expect(service.runners()).toEqual([]);
});

test('with busy polls, a cancellation is delivered on every poll until the job is completed', async () => {
  const { service, connect } = await startHarness({ busyPolls: true });
  const session = await connect('r1');
  const { runId } = service.enqueue(job);
  const held = await session.take();
  await session.start(held);
  const busy = session.poll('Busy');
  await pollsWaiting(service, 1);
  service.cancelRun(runId);
  for (const answer of [await busy, await session.poll('Busy'), await session.poll('Busy')]) {
    expect(answer.json).toMatchObject({ messageType: 'JobCancellation' });
    expect(JSON.parse(String(answer.json['body']))).toEqual({ jobId: held.jobId, timeout: '00:05:00' });
  }
  expect((await session.complete(held, 'canceled')).status).toBe(204);
  expect((await session.poll('Busy')).json).toMatchObject({ errorKind: 'RunnerNotFound' });
});

test('a rerun is refused while the run is in progress, and makes a new attempt of the failed jobs', async () => {
  const { service, connect, client, token } = await startHarness();
  const [good, bad] = service.enqueueRun([
    { ...job, jobName: 'good' },
    { ...job, jobName: 'bad' },
  ]);
  const path = `repos/acme/web/actions/runs/${good!.runId}`;
  for (const [name, conclusion] of [
    ['r1', 'succeeded'],
    ['r2', 'failed'],
  ] as const) {
    expect((await client.rest('POST', `${path}/rerun-failed-jobs`, token)).status).toBe(403);
    const session = await connect(name);
    const held = await session.take();
    await session.start(held, name);
    await session.complete(held, conclusion);
  }
  expect((await client.rest('GET', path, token)).json).toMatchObject({
    status: 'completed',
    conclusion: 'failure',
  });
  expect((await client.rest('POST', `${path}/rerun-failed-jobs`, token)).status).toBe(201);
  const { json } = await client.rest('GET', `${path}/attempts/2/jobs`, token);
  expect(json['jobs']).toMatchObject([
    { name: 'good', conclusion: 'success', run_attempt: 2 },
    { name: 'bad', status: 'queued', run_attempt: 2 },
  ]);
  expect(
    service
      .jobs()
      .filter(({ attempt }) => attempt === 2)
      .map(({ id }) => id),
  ).not.toContain(bad!.id);
});

test('ids beyond 2^53 and text beyond the basic plane arrive unchanged', async () => {
  const { service, connect } = await startHarness();
  const session = await connect('r1');
  service.enqueue({ ...job, runId: 9_007_199_254_740_993n, secrets: { KEY: 'canary' } });
  const message = await session.poll();
  expect(message.text).toMatch(/"messageId":-?\d{10,19},/);
  const held = heldJob(await session.acquire(offerOf(message)));
  expect(held.payload).toContain('"9007199254740993"');
  expect(held.payload).toContain('🚄');
  expect(held.payload).toContain('"KEY":{"value":"canary","isSecret":true}');
  expect(JSON.stringify(service.journal.entries())).not.toContain('canary');
});

test('in the dialect seed, a session accepts one job after another', async () => {
  const { service, connect } = await startHarness({ dialect: 'seed' });
  const session = await connect('r1');
  service.enqueue(job);
  service.enqueue(job);
  const [first, second] = [await session.take(), await session.take()];
  expect((await session.renew(first, session.token)).status).toBe(200);
  expect((await session.complete(first)).status).toBe(204);
  expect((await session.complete(second)).status).toBe(204);
  expect(service.verdict()).toMatchObject({ jobs: 2, completed: 2 });
  expect(service.violations).toEqual([]);
});
