import { afterEach, expect, test } from '@jest/globals';
import { ClassicFixture } from '../../testing/classic-fixture.js';
import { eventually } from '../../testing/eventually.js';
import { changedJson, variedHttp, type Variation } from '../../testing/varied-http.js';
import type { Claim } from '../job-source.js';

let fixture: ClassicFixture;

afterEach(async () => fixture.close());

const job = { repository: 'acme/web', labels: ['self-hosted'] };
const limit = (): AbortSignal => AbortSignal.timeout(20_000);

function payloadOf(claim: { mode: string }): Extract<Claim, { mode: 'payload' }> {
  if (claim.mode !== 'payload') throw new Error(JSON.stringify(claim));
  return claim as Extract<Claim, { mode: 'payload' }>;
}

async function startWith(answer: Variation['answer']): Promise<ClassicFixture> {
  fixture = await ClassicFixture.start({ broker: { http: variedHttp({ answer }) } });
  return fixture;
}

test('renews and concludes a job by the id of its delivery if the service does not know the id in the payload', async () => {
  const { service } = await startWith(
    changedJson('/acquirejob', (payload) => ({ ...payload, jobId: 'id-of-the-payload' })),
  );
  const { id } = service.enqueue(job);
  const recorder = await fixture.open();
  const { key, claim } = await recorder.claim();
  const { lock: reference, identity } = payloadOf(claim);
  expect(identity.jobId).toBe('id-of-the-payload');
  await recorder.source.settled(key, limit());
  const lock = recorder.source.lock(JSON.parse(JSON.stringify(reference)));
  const renewed = await lock.renew(limit());
  expect(renewed.lockedUntil).toBeGreaterThan(fixture.clock.now());
  await lock.renew(limit());
  expect(service.journal.entries({ route: '/run/{shard}/renewjob' }).map(({ status }) => status)).toEqual([
    404, 200, 200,
  ]);
  expect(await lock.complete('succeeded', limit())).toBe('concluded');
  expect(service.job(id)).toMatchObject({ status: 'completed', conclusion: 'success' });
});

test('does not conclude a job that runs when another delivery of it has the same payload', async () => {
  const jobIds = new Map<unknown, unknown>();
  const { service } = await startWith(
    changedJson('/acquirejob', (payload) => {
      const { planId } = payload['plan'] as Record<string, unknown>;
      if (!jobIds.has(planId)) jobIds.set(planId, payload['jobId']);
      return { ...payload, jobId: jobIds.get(planId) };
    }),
  );
  const recorder = await fixture.open();
  /* Two sessions wait only after a job has arrived. */
  service.enqueue(job);
  await recorder.claim(1);
  const polls = () => service.journal.entries({ route: '/broker/message' }).map(({ path }) => path);
  const waiting = () =>
    new Set(polls().flatMap((path) => /sessionId=([^&]+).*Online/.exec(path)?.slice(1) ?? []));
  await eventually(() => waiting().size === 3, 'two more sessions that wait');
  const { id } = service.enqueue({ ...job, siblings: 1 });
  const own = payloadOf((await recorder.claim(2)).claim);
  expect((await recorder.claim(3)).claim).toMatchObject({ mode: 'refused', reason: 'taken' });
  await eventually(
    () => service.journal.entries({ route: '/run/{shard}/completejob' }).some(({ status }) => status < 300),
    'the conclusion of the other delivery',
  );
  expect(service.job(id)?.status).toBe('in_progress');
  expect(service.events.entries({ type: 'delivery-concluded' })).toHaveLength(1);
  await recorder.source.lock(own.lock).renew(limit());
});
