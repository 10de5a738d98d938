import { afterEach, expect, test } from '@jest/globals';
import { heldJob } from '../testing/client.js';
import { closeHarnesses, pollsWaiting, startHarness, until } from '../testing/harness.js';

afterEach(closeHarnesses);

const job = { repository: 'acme/web', labels: ['linux'] };

test('an acquisition whose answer is lost is committed, and its repetition is answered with 409', async () => {
  const { service, connect } = await startHarness();
  const session = await connect('r1');
  const { id } = service.enqueue(job);
  const offer = await session.offer();
  const fault = service.faults.add({
    match: { route: '*/acquirejob' },
    effect: { kind: 'reset-after-commit' },
  });
  await expect(session.acquire(offer)).rejects.toThrow();
  expect(fault.hits).toBe(1);
  expect(service.job(id)?.status).toBe('in_progress');
  expect((await session.acquire(offer)).status).toBe(409);
});

test('a reset before handling changes nothing', async () => {
  const { service, connect } = await startHarness();
  const session = await connect('r1');
  const { id } = service.enqueue(job);
  const offer = await session.offer();
  service.faults.add({ match: { base: 'run' }, effect: { kind: 'reset' } });
  await expect(session.acquire(offer)).rejects.toThrow();
  expect(service.job(id)?.status).toBe('queued');
  expect((await session.acquire(offer)).status).toBe(200);
});

test.each([
  ['seconds', '30'],
  ['absent', undefined],
  ['absurd', '1000000000'],
  ['negative', '-5'],
  ['date', 'Thu, 01 Jan 2026 00:00:30 GMT'],
] as const)('an answer with 429 has a Retry-After of the form %s', async (retryAfter, expected) => {
  const { service, client, token } = await startHarness();
  service.faults.add({
    match: { base: 'rest' },
    effect: { kind: 'too-many-requests', retryAfter, seconds: 30 },
  });
  const answer = await client.rest('GET', 'orgs/acme/actions/runners', token);
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, expected]);
  expect((await client.rest('GET', 'orgs/acme/actions/runners', token)).status).toBe(200);
});

test('a fault is limited to a runner, to a number of requests and to a window', async () => {
  const { service, connect, clock } = await startHarness();
  const [a, b] = [await connect('r1'), await connect('r2')];
  service.faults.add({
    match: { route: '/broker/message', runner: a.runner.id },
    effect: { kind: 'empty' },
    skip: 1,
    times: Infinity,
    afterMs: 1_000,
    forMs: 60_000,
  });
  service.enqueue(job);
  service.enqueue(job);
  expect((await a.poll()).status).toBe(200);
  await clock.advance(1_000);
  expect((await a.poll()).status).toBe(200);
  expect((await a.poll()).status).toBe(202);
  expect((await b.poll()).status).toBe(200);
  await clock.advance(60_000);
  expect((await a.poll()).status).toBe(200);
});

test('a truncated body ends with an error, and a slow body arrives at one byte per second', async () => {
  const { service, client, token, clock } = await startHarness();
  service.faults.add({ match: { base: 'rest' }, effect: { kind: 'truncated-body' } });
  await expect(client.rest('GET', 'rate_limit', token)).rejects.toThrow();
  service.faults.add({ match: { base: 'rest' }, effect: { kind: 'slow-body' } });
  const startedAt = clock.now();
  const answer = await clock.run(client.rest('GET', 'rate_limit', token));
  expect(answer.json).toHaveProperty('rate');
  expect(clock.now() - startedAt).toBeGreaterThanOrEqual((answer.text.length - 1) * 1_000);
});

test('a request that hangs is recorded as aborted once the client gives up', async () => {
  const { service, client, token } = await startHarness();
  service.faults.add({ match: { base: 'rest' }, effect: { kind: 'hang' } });
  const abort = new AbortController();
  const call = client.send('GET', `${service.urls.rest}/rate_limit`, { token, signal: abort.signal });
  await until(() => service.journal.entries({ route: '/rate_limit' }).length === 1);
  abort.abort();
  await expect(call).rejects.toThrow();
  await until(() => service.journal.entries({ route: '/rate_limit' })[0]?.durationMs !== undefined);
  expect(service.journal.entries({ route: '/rate_limit' })).toMatchObject([
    { aborted: true, fault: 'hang', status: 0 },
  ]);
});

test('a partition cuts polls off and refuses requests, and ends by itself', async () => {
  const { service, connect, clock, client, token } = await startHarness();
  const session = await connect('r1');
  const poll = session.poll();
  await pollsWaiting(service, 1);
  const outcome = expect(poll).rejects.toThrow();
  service.partition(60_000);
  await outcome;
  await expect(client.rest('GET', 'rate_limit', token)).rejects.toThrow();
  expect((await client.send('GET', `${service.urls.control}/verdict`)).status).toBe(200);
  await clock.advance(60_000);
  expect((await client.rest('GET', 'rate_limit', token)).status).toBe(200);
});

test('a message whose poll is aborted is delivered by the next poll', async () => {
  const { service, connect } = await startHarness();
  const session = await connect('r1');
  const abort = new AbortController();
  const poll = session.poll('Online', abort.signal);
  await pollsWaiting(service, 1);
  const outcome = expect(poll).rejects.toThrow();
  abort.abort();
  await outcome;
  await until(() => service.journal.entries({ route: '/broker/message' })[0]?.aborted === true);
  service.enqueue(job);
  expect(heldJob(await session.acquire(await session.offer())).jobId).toBeDefined();
  expect(service.violations).toEqual([]);
});
