import { afterEach, describe, expect, test } from '@jest/globals';
import { ClassicFixture, job } from '../../testing/classic-fixture.js';
import { eventually } from '../../testing/eventually.js';
import { changedJson, variedHttp, type Variation } from '../../testing/varied-http.js';
import { limit } from '../../testing/source-recorder.js';

let fixture: ClassicFixture;

afterEach(async () => fixture.close());

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
  const { key, claim } = await recorder.claimJob();
  const { lock: reference, identity } = claim;
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

describe('a job that is delivered to two runners with the same payload', () => {
  const completions = () => fixture.service.journal.entries({ route: '/run/{shard}/completejob' });

  /** Claims both deliveries. The payload has the id of one of them, by the order of the claims. */
  async function claimTwice(idOfPayload: 0 | 1) {
    const shared: { jobId?: string | undefined } = {};
    const { service } = await startWith(changedJson('/acquirejob', (payload) => ({ ...payload, ...shared })));
    const recorder = await fixture.open();
    /* Two sessions wait only after a job has arrived. */
    service.enqueue(job);
    await recorder.claim(1);
    const polls = () => service.journal.entries({ route: '/broker/message' }).map(({ path }) => path);
    const waiting = () =>
      new Set(polls().flatMap((path) => /sessionId=([^&]+).*Online/.exec(path)?.slice(1) ?? []));
    await eventually(() => waiting().size === 3, 'two more sessions that wait');
    const { id } = service.enqueue({ ...job, siblings: 1 });
    const keys = [(await recorder.next('offered', 2)).key, (await recorder.next('offered', 3)).key];
    shared.jobId = keys[idOfPayload];
    const { claim } = await recorder.claimJob(2);
    expect((await recorder.claim(3)).claim).toMatchObject({ mode: 'refused', reason: 'taken' });
    return { id, lock: recorder.source.lock(claim.lock) };
  }

  test('continues when the other delivery is concluded', async () => {
    const { id, lock } = await claimTwice(0);
    await eventually(() => completions().some(({ status }) => status < 300), 'the conclusion');
    expect(fixture.service.events.entries({ type: 'delivery-concluded' })).toHaveLength(1);
    expect(fixture.service.job(id)?.status).toBe('in_progress');
    await lock.renew(limit());
  });

  test('continues when the id of the other delivery is the id in the payload', async () => {
    const { lock } = await claimTwice(1);
    const removals = () =>
      fixture.service.journal.entries({ base: 'rest' }).filter((one) => one.method === 'DELETE');
    await eventually(() => removals().length === 1, 'the removal of the other runner');
    expect(completions()).toEqual([]);
    await lock.renew(limit());
  });
});
