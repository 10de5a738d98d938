import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Problem } from '@interlock/base';
import { ClassicFixture, job, type FixtureOptions } from '../../testing/classic-fixture.js';
import { eventually } from '../../testing/eventually.js';
import { limit } from '../../testing/source-recorder.js';
import type { ServiceFaultEffect } from '@interlock/actions-service';

let fixture: ClassicFixture;

async function start(options: FixtureOptions = {}): Promise<ClassicFixture> {
  fixture = await ClassicFixture.start(options);
  return fixture;
}

const fail: ClassicFixture['fail'] = (...call) => fixture.fail(...call);
const forwardUntil: ClassicFixture['forwardUntil'] = (...call) => fixture.forwardUntil(...call);

afterEach(async () => {
  await fixture.close();
  expect(fixture.service.violations).toEqual([]);
});

describe('a classic source', () => {
  test('speaks HTTP/2 over TLS if the service offers it', async () => {
    const { service } = await start({ service: { protocol: 'https' } });
    service.enqueue(job);
    const recorder = await fixture.open();
    await recorder.claimJob();
    expect(new Set(service.journal.entries().map(({ protocol }) => protocol))).toEqual(new Set(['h2']));
  });

  test('sends each credential only to its own hosts', async () => {
    const { service } = await start({ service: { separatePorts: true } });
    service.enqueue(job);
    const recorder = await fixture.open();
    const { claim } = await recorder.claimJob();
    await recorder.source.lock(claim.lock).renew(limit());
    const seen = service.journal
      .entries()
      .map(({ base, subject, route }) => `${base} ${subject.kind} ${route}`);
    for (const line of seen) {
      expect(line).toMatch(
        /^(rest (app|installation)|token (anonymous|runner)|broker runner|run (runner|job)) /,
      );
    }
    expect(seen).toContain('run job /run/{shard}/renewjob');
  });

  test('registers no runner before it is open, because it would treat the runner as one of an earlier process', async () => {
    const { store } = await start();
    const source = fixture.create();
    source.setCapacity(10);
    source.setMaxListeners(3);
    source.setLabels(['self-hosted', 'large']);
    await setImmediate();
    expect(store.phases).toEqual([]);
    await source.open([], limit());
    await eventually(() => source.sessions > 0, 'a session');
    expect(store.phases).not.toContain('retiring');
  });

  test('records an agent before each step that cannot be undone', async () => {
    const { service, store } = await start();
    service.enqueue(job);
    const recorder = await fixture.open();
    const { key } = await recorder.claim();
    await recorder.source.settled(key, limit());
    const name = recorder.of('bound')[0]!.runnerName;
    expect(store.records.get(name)).toMatchObject({ phase: 'bound', delivery: { requestId: key } });
    expect(store.phases.indexOf('registering')).toBeLessThan(store.phases.indexOf('idle'));
    expect(store.phases.indexOf('claiming')).toBeLessThan(store.phases.indexOf('bound'));
  });

  test('records a claim before it is sent although an earlier attempt to record it failed', async () => {
    const { service, store } = await start({ maxListeners: 1 });
    const recorder = await fixture.open();
    await eventually(() => recorder.source.sessions > 0, 'a session');
    /* Without another runner, the job is delivered to the same one again. */
    fail('*/generate-jitconfig', { kind: 'status', status: 503 }, Infinity);
    store.failing = 'claiming';
    service.enqueue(job);
    await expect(recorder.claim()).rejects.toThrow('HTTP 500');
    await recorder.source.release(recorder.of('offered')[0]!.key, limit());
    await recorder.next('offered', 2);
    const { key, claim } = await recorder.claim(2);
    expect(claim.mode).toBe('payload');
    const { runnerName } = recorder.of('bound')[0]!;
    expect(store.records.get(runnerName)).toMatchObject({ phase: 'claiming', delivery: { requestId: key } });
  });

  test('claims a job once although it was delivered to two runners, and concludes the other delivery', async () => {
    const { service } = await start({ maxListeners: 2 });
    service.enqueue(job);
    const recorder = await fixture.open();
    await recorder.claim(1);
    /* That of the first job, and two that have begun to wait: only those can be offered a job together. */
    const waiting = (): Set<string> =>
      new Set(
        service.journal
          .entries({ route: '/broker/message' })
          .filter(({ path }) => path.includes('Online'))
          .map(({ path }) => /sessionId=([^&]+)/.exec(path)?.[1] ?? ''),
      );
    await eventually(() => waiting().size === 3, 'two sessions that wait');
    service.enqueue({ ...job, siblings: 1 });
    const claims = [(await recorder.claim(2)).claim, (await recorder.claim(3)).claim];
    expect(claims.map(({ mode }) => mode)).toEqual(['payload', 'refused']);
    expect(claims[1]).toMatchObject({ reason: 'taken' });
    await eventually(
      () => service.events.entries({ type: 'delivery-concluded' }).length === 1,
      'the conclusion of the other delivery',
    );
  });

  test('reports a cancellation once, and polls rarely while the service repeats the cancellation', async () => {
    const { service } = await start({ service: { busyPolls: true } });
    const handle = service.enqueue(job);
    const recorder = await fixture.open();
    const { key } = await recorder.claim();
    service.cancelRun(handle.runId);
    expect(await recorder.next('cancelled')).toEqual({ type: 'cancelled', key, timeoutMs: 300_000 });
    const polls = (): number =>
      service.journal.entries({ route: '/broker/message' }).filter(({ path }) => path.includes('Busy'))
        .length;
    const [before, startedAt] = [polls(), fixture.clock.monotonic()];
    await forwardUntil(() => polls() >= before + 5, 'five more polls');
    expect(fixture.clock.monotonic() - startedAt).toBeGreaterThan(5 * 4_000);
    expect(recorder.of('cancelled')).toHaveLength(1);
  });

  test.each<[string, ServiceFaultEffect]>([
    ['the answer is lost', { kind: 'reset-after-commit' }],
    ['the answer breaks off', { kind: 'truncated-body' }],
  ])('reports a job as lost with its runner when %s', async (_name, effect) => {
    const { service } = await start();
    service.enqueue(job);
    const recorder = await fixture.open();
    fail('/run/{shard}/acquirejob', effect);
    const { claim } = await recorder.claim();
    expect(claim).toMatchObject({ mode: 'refused', reason: 'lost' });
    expect(claim).toMatchObject({ runnerName: service.jobs()[0]!.runner });
  });

  test('reports a lost job again after a restart, until it is released', async () => {
    const { service, store } = await start();
    service.enqueue(job);
    const recorder = await fixture.open();
    fail('/run/{shard}/acquirejob', { kind: 'reset-after-commit' });
    const { key } = await recorder.claim();
    const { runner = '' } = service.jobs()[0]!;
    expect(store.records.get(runner)).toMatchObject({ phase: 'claiming', delivery: { requestId: key } });
    await fixture.crash();
    const next = await fixture.open();
    const again = await next.claim();
    expect(again).toMatchObject({ key, claim: { mode: 'refused', reason: 'lost', runnerName: runner } });
    await next.source.release(key, limit());
    expect(store.records.get(runner)?.phase).not.toBe('claiming');
  });

  test('claims a job despite a lost answer to its claim, if the service repeats the answer', async () => {
    const { service } = await start({ service: { acquireRepeat: 'same' } });
    service.enqueue(job);
    const recorder = await fixture.open();
    fail('/run/{shard}/acquirejob', { kind: 'reset-after-commit' });
    await recorder.claimJob();
  });

  test.each([
    [404, 'gone'],
    [409, 'taken'],
    [422, 'unclaimable'],
  ])(
    'refuses a claim that the service answers with %i as %s, and replaces the runner',
    async (status, reason) => {
      const { service } = await start();
      service.enqueue(job);
      const recorder = await fixture.open();
      fail('/run/{shard}/acquirejob', { kind: 'status', status });
      const { key, claim } = await recorder.claim();
      expect(claim).toMatchObject({ mode: 'refused', key, reason });
      expect((await forwardUntil(() => recorder.of('offered')[1], 'another offer')).key).not.toBe(key);
    },
  );

  test.each<[string, ServiceFaultEffect]>([
    ['a connection that is reset', { kind: 'reset' }],
    ['an internal error', { kind: 'status', status: 503 }],
    ['a page of a proxy', { kind: 'html' }],
    ['a page of a proxy that claims success', { kind: 'status', status: 200, body: '\n<html>' }],
    ['a success without a payload', { kind: 'status', status: 200 }],
    ['a success with null', { kind: 'status', status: 200, body: 'null' }],
    ['a job without a plan', { kind: 'status', status: 200, body: { jobId: 'j' } }],
    ['a job that breaks off before it is claimed', { kind: 'status', status: 200, body: '{"plan":{"pl' }],
    ['a token that is refused once', { kind: 'unauthorized' }],
  ])('repeats a claim after %s', async (_name, effect) => {
    const { service } = await start();
    service.enqueue(job);
    const recorder = await fixture.open();
    fail('/run/{shard}/acquirejob', effect);
    await recorder.claimJob();
  });

  test.each<[string, ServiceFaultEffect]>([
    ['a refused token', { kind: 'unauthorized' }],
    ['a connection that is reset', { kind: 'reset' }],
    ['a message that breaks off', { kind: 'truncated-body' }],
    ['a page of a proxy', { kind: 'html' }],
    ['a page of a proxy that claims success', { kind: 'status', status: 200, body: '\n<html>' }],
    ['an answer that is too large', { kind: 'huge-body', bytes: 2 << 20 }],
    ['an expired session', { kind: 'status', status: 400, body: { errorKind: 'RunnerSessionInvalid' } }],
    ['a runner that is not found', { kind: 'status', status: 404, body: { errorKind: 'RunnerNotFound' } }],
  ])('continues to poll after %s', async (_name, effect) => {
    const { service } = await start();
    fail('/broker/message', effect);
    const recorder = await fixture.open();
    service.enqueue(job);
    await forwardUntil(() => recorder.of('offered')[0], 'an offer');
  });

  test.each(['seconds', 'date', 'absent', 'absurd', 'negative'] as const)(
    'reports the beginning and the end of a rate limit, with a Retry-After of the form %s',
    async (retryAfter) => {
      await start();
      fail('/broker/message', { kind: 'too-many-requests', retryAfter });
      const recorder = await fixture.open();
      const limited = await eventually(
        () => recorder.of('health').find(({ health }) => health.state === 'rateLimited'),
        'a rate limit',
      );
      expect(limited.health.since).toBeGreaterThan(0);
      fixture.service.enqueue(job);
      await forwardUntil(() => recorder.of('offered')[0], 'an offer', 10_000);
      expect(recorder.of('health').at(-1)!.health.state).toBe('polling');
    },
  );

  test('limits its polls while each returns immediately without a message', async () => {
    const { service } = await start();
    fail('/broker/message', { kind: 'empty' }, Infinity);
    const recorder = await fixture.open();
    const polls = (): number => service.journal.entries({ route: '/broker/message' }).length;
    await forwardUntil(() => polls() >= 1, 'a poll');
    const startedAt = recorder.source.lastPollAt ?? fixture.clock.monotonic();
    await forwardUntil(() => polls() >= 20, 'twenty polls');
    const seconds = (recorder.source.lastPollAt! - startedAt) / 1000;
    expect(19 / seconds).toBeLessThan(10);
  });

  test('reports a version that is too old, and does not try again soon', async () => {
    const { service } = await start({ runnerVersion: '2.300.0' });
    const recorder = await fixture.open();
    expect((await recorder.next('health')).health.state).toBe('versionTooOld');
    const { seq } = service.journal;
    fixture.clock.forward(60_000);
    await eventually(() => fixture.store.records.size === 0, 'the removal of the runner');
    expect(service.journal.entries({ since: seq, route: '/broker/session', method: 'POST' })).toEqual([]);
  });

  test('reports a credential that is missing, and recovers when the credential exists', async () => {
    await start();
    const { credential } = fixture;
    fixture.credential = new Problem('CredentialUnavailable', 'key appId of the Secret app is missing');
    const recorder = await fixture.open();
    expect((await recorder.next('health')).health).toMatchObject({
      state: 'credentialMissing',
      message: expect.stringContaining('appId'),
    });
    fixture.credential = credential;
    await forwardUntil(() => recorder.source.sessions === 1, 'a session');
  });

  test('withdraws an offer that is not claimed in time', async () => {
    const { service } = await start({ capacity: 1 });
    service.enqueue(job);
    const recorder = await fixture.open();
    const { key } = await recorder.next('offered');
    await forwardUntil(() => recorder.of('withdrawn')[0], 'the end of the offer', 10_000);
    expect(recorder.of('withdrawn')[0]).toEqual({ type: 'withdrawn', key });
  });

  test('stops when another process has taken over its records', async () => {
    const { store } = await start();
    store.isLost = true;
    const recorder = await fixture.open();
    await recorder.next('health');
    expect(recorder.source.sessions).toBe(0);
  });
});
