import { afterEach, describe, expect, test } from '@jest/globals';
import { ClassicFixture, job } from '../../testing/classic-fixture.js';
import { limit } from '../../testing/source-recorder.js';

let fixture: ClassicFixture;

afterEach(async () => {
  await fixture.close();
  expect(fixture.service.violations).toEqual([]);
});

describe('a classic source', () => {
  test.each([404, 409, 422])(
    'claims a job whose claim was refused with %i when the service delivers it again, after a longer pause each time',
    async (status) => {
      fixture = await ClassicFixture.start({ maxListeners: 1 });
      const { service, clock } = fixture;
      const offer = { runner_request_id: 'again', run_service_url: `${service.urls.run}/1/` };
      const body = { messageId: 1, messageType: 'RunnerJobRequest', body: JSON.stringify(offer) };
      fixture.fail('/broker/message', { kind: 'status', status: 200, body }, Infinity);
      fixture.fail('/run/{shard}/acquirejob', { kind: 'status', status }, Infinity);
      const recorder = await fixture.open();
      const pauses: number[] = [];
      for (const nth of [1, 2, 3, 4]) {
        const from = clock.monotonic();
        await fixture.forwardUntil(() => recorder.of('offered')[nth - 1], `offer ${nth}`, 100);
        pauses.push(clock.monotonic() - from);
        expect((await recorder.claim(nth)).claim).toMatchObject({ mode: 'refused', key: 'again' });
      }
      for (const [index, least] of [5_000, 10_000, 20_000].entries())
        expect(pauses[index + 1]).toBeGreaterThanOrEqual(least);
    },
  );

  test('claims a job soon when the service delivers it again after answers without a readable job', async () => {
    fixture = await ClassicFixture.start({ maxListeners: 1 });
    const { service, clock } = fixture;
    const offer = { runner_request_id: 'again', run_service_url: `${service.urls.run}/1/` };
    const body = { messageId: 1, messageType: 'RunnerJobRequest', body: JSON.stringify(offer) };
    fixture.fail('/broker/message', { kind: 'status', status: 200, body }, Infinity);
    fixture.fail('/run/{shard}/acquirejob', { kind: 'status', status: 200, body: 'null' }, Infinity);
    const recorder = await fixture.open();
    await recorder.next('offered');
    let claim: unknown;
    void recorder.source.claim('again', limit()).then((result) => (claim = result));
    await fixture.forwardUntil(() => claim, 'the end of the claim');
    expect(claim).toMatchObject({ mode: 'refused', reason: 'lost', runnerName: expect.any(String) });
    expect(service.journal.entries({ route: '/run/{shard}/acquirejob' })).toHaveLength(5);
    const from = clock.monotonic();
    await recorder.source.release('again', limit());
    await fixture.forwardUntil(() => recorder.of('offered')[1], 'another offer');
    expect(clock.monotonic() - from).toBeLessThan(60_000);
  });

  test('claims a job whose first claims are not sent, because the answers to the requests for a token cannot be read', async () => {
    fixture = await ClassicFixture.start({ service: { dialect: 'seed' }, maxListeners: 1 });
    fixture.service.enqueue(job);
    const recorder = await fixture.open();
    const { key } = await recorder.next('offered');
    fixture.fail('/run/{shard}/acquirejob', { kind: 'unauthorized' });
    fixture.fail('/_apis/oauth2/token/{id}', { kind: 'status', status: 200, body: 'ok' }, 5);
    let claim: unknown;
    void recorder.source.claim(key, limit()).then((result) => (claim = result));
    await fixture.forwardUntil(() => claim, 'the end of the claim');
    expect(claim).toMatchObject({ mode: 'payload', key });
  });

  test('does not offer a job again before the record of a reusable runner, whose claim was refused, is stored', async () => {
    fixture = await ClassicFixture.start({ service: { dialect: 'seed' } });
    const { service, store, clock } = fixture;
    const offer = { runner_request_id: 'again', run_service_url: `${service.urls.run}/1/` };
    const body = { messageId: 1, messageType: 'RunnerJobRequest', body: JSON.stringify(offer) };
    fixture.fail('/broker/message', { kind: 'status', status: 200, body }, Infinity);
    fixture.fail('/run/{shard}/acquirejob', { kind: 'status', status: 409 }, Infinity);
    const recorder = await fixture.open();
    await recorder.next('offered');
    const save = store.save.bind(store);
    const stored = new Promise<() => void>((resolve) => {
      store.save = async (record) => {
        const wasClaiming = store.records.get(record.name)?.phase === 'claiming';
        if (wasClaiming && record.phase === 'idle') await new Promise<void>((finish) => resolve(finish));
        return save(record);
      };
    });
    const claiming = recorder.claim();
    const finish = await stored;
    const polls = (): number => service.journal.entries({ route: '/broker/message' }).length;
    clock.forward(10_000);
    const before = polls();
    await fixture.forwardUntil(() => polls() >= before + 5, 'five more polls');
    expect(recorder.of('offered')).toHaveLength(1);
    finish();
    expect((await claiming).claim).toMatchObject({ mode: 'refused', key: 'again' });
  });
});
