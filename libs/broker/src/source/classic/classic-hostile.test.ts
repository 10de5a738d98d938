import { afterEach, describe, expect, test } from '@jest/globals';
import type { EnqueueOptions, ServiceFaultEffect } from '@interlock/actions-service';
import { ClassicFixture, job } from '../../testing/classic-fixture.js';
import { limit } from '../../testing/source-recorder.js';

const elsewhere = 'https://elsewhere.example';
let fixture: ClassicFixture;

afterEach(async () => {
  await fixture.close();
  expect(fixture.service.violations).toEqual([]);
});

const ok = (body: unknown): ServiceFaultEffect => ({ kind: 'status', status: 200, body });
const message = (body: unknown, messageType: unknown = 'RunnerJobRequest'): ServiceFaultEffect =>
  ok({ messageId: 1, messageType, body });
const offer = (changes: object): ServiceFaultEffect =>
  message(JSON.stringify({ runner_request_id: 'r', run_service_url: `${elsewhere}/1/`, ...changes }));
const redirect = (status: number): ServiceFaultEffect => ({
  ...{ kind: 'status', status },
  headers: { location: `${fixture.service.urls.rest}/elsewhere` },
});
const deep = '['.repeat(50_000);

/** Calls to servers that must not be called. */
const strayCalls = () => fixture.service.journal.entries().filter(({ path }) => path.includes('elsewhere'));

describe('a classic source', () => {
  test.each<[string, () => ServiceFaultEffect]>([
    ['a text that is not JSON', () => ok('hello')],
    ['JSON that breaks off', () => ok('{"messageId":1,"messageType":"RunnerJob')],
    ['JSON that is nested too deep', () => ok(deep)],
    ['an answer of 2 MiB', () => ({ kind: 'huge-body', bytes: 2 << 20 })],
    ['another type of content', () => ({ kind: 'wrong-content-type' })],
    ['a message without a type', () => ok({ messageId: 1, body: '{}' })],
    ['a message whose type is not a text', () => message('{}', { a: 1 })],
    ['a message whose body is not JSON', () => message('hello')],
    ['a message whose body is nested too deep', () => message(deep)],
    ['an offer without an id', () => message('{}')],
    ['an offer whose id has 10,000 characters', () => offer({ runner_request_id: 'x'.repeat(10_000) })],
    [
      'an offer whose URL has 10,000 characters',
      () => offer({ run_service_url: `https://${'x'.repeat(10_000)}` }),
    ],
    ['an offer of a job at another host', () => offer({})],
    [
      'an offer of a job whose URL has a password',
      () => offer({ run_service_url: 'https://a:b@127.0.0.1/' }),
    ],
    ['a cancellation of no job', () => message('{}', 'JobCancellation')],
    ['a cancellation of an unknown job', () => message('{"jobId":"x"}', 'JobCancellation')],
    ['a redirect', () => redirect(302)],
    ['a redirect that keeps the method', () => redirect(307)],
  ])('continues after %s', async (_name, effect) => {
    fixture = await ClassicFixture.start({ maxListeners: 1 });
    fixture.fail('/broker/message', effect());
    const recorder = await fixture.open();
    await fixture.forwardUntil(() => recorder.source.lastPollAt !== undefined, 'an answer');
    fixture.service.enqueue(job);
    const offered = await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer', 5_000);
    expect((await recorder.source.claim(offered.key, limit())).mode).toBe('payload');
    expect([recorder.of('offered').length, strayCalls()]).toEqual([1, []]);
  });

  test('reports a job at another host, and what to do', async () => {
    fixture = await ClassicFixture.start({ maxListeners: 1 });
    fixture.fail('/broker/message', offer({}));
    const recorder = await fixture.open();
    const { message: reported } = await fixture.forwardUntil(() => recorder.of('unusable')[0], 'the report');
    expect(reported).toContain(`the host ${new URL(elsewhere).host}`);
    expect(reported).toContain('allowedHosts');
  });

  test.each<[string, ServiceFaultEffect]>([
    ['is cut off', { kind: 'reset-after-commit' }],
    ['breaks off', { kind: 'truncated-body' }],
    ['is not answered in time', { kind: 'slow-body' }],
  ])('receives the same offer again when its delivery %s', async (_name, effect) => {
    fixture = await ClassicFixture.start({ maxListeners: 1, timings: { pollTimeoutMs: 300 } });
    fixture.service.enqueue(job);
    fixture.fail('/broker/message', effect);
    const recorder = await fixture.open();
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer');
    await recorder.claimJob();
  });

  test.each([500, 502, 503, 504, 408])(
    'polls less often while its polls are answered with %i',
    async (status) => {
      fixture = await ClassicFixture.start({ maxListeners: 1 });
      const { service, clock } = fixture;
      fixture.fail('/broker/message', { kind: 'status', status }, 6);
      const startedAt = clock.monotonic();
      const recorder = await fixture.open();
      service.enqueue(job);
      await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer', 5_000);
      /* Five times 15 to 30 seconds, once 30 to 60. */
      expect(clock.monotonic() - startedAt).toBeGreaterThan(105_000);
    },
  );
});

const endpoints = (url: string): Partial<EnqueueOptions> => ({
  payloadExtra: {
    resources: {
      endpoints: [
        { name: 'SystemVssConnection', url, authorization: { parameters: { AccessToken: 'secret' } } },
      ],
    },
  },
});

interface HostileClaim {
  title: string;
  job?: Partial<EnqueueOptions>;
  effect?: () => ServiceFaultEffect;
  reason: string;
  message: string;
}

const claims: readonly HostileClaim[] = [
  {
    ...{ title: 'has 50 MiB', reason: 'lost', message: 'is larger than 16777216 bytes' },
    effect: () => ({ kind: 'huge-body', bytes: 50 << 20 }),
  },
  { title: 'is not JSON', effect: () => ok('hello'), reason: 'lost', message: 'is not JSON' },
  { title: 'is nested too deep', effect: () => ok(deep), reason: 'lost', message: 'levels deep' },
  { title: 'has no plan', effect: () => ok({ a: 1 }), reason: 'lost', message: 'has no plan id' },
  {
    ...{ title: 'has its lock at another host', job: endpoints(`${elsewhere}/`) },
    ...{
      reason: 'lost',
      message: 'which may not receive tokens; if the host is correct, add it to allowedHosts',
    },
  },
  {
    ...{ title: 'has its lock at an address of a machine', job: endpoints('http://169.254.169.254/') },
    ...{ reason: 'lost', message: 'names the host 169.254.169.254, which may not receive tokens' },
  },
  { title: 'is elsewhere', effect: () => redirect(307), reason: 'unclaimable', message: 'HTTP 307' },
];

describe('the payload of a job', () => {
  test.each(claims)('that $title is refused, and the next job is claimed', async (hostile) => {
    fixture = await ClassicFixture.start();
    const { service } = fixture;
    if (hostile.effect !== undefined) fixture.fail('*/acquirejob', hostile.effect(), 5);
    service.enqueue({ ...job, ...hostile.job });
    const recorder = await fixture.open();
    const { key } = await recorder.next('offered');
    let claim: unknown;
    void recorder.source.claim(key, limit()).then((result) => (claim = result));
    await fixture.forwardUntil(() => claim, 'the end of the claim');
    fixture.service.faults.clear();
    expect(claim).toMatchObject({
      ...{ mode: 'refused', reason: hostile.reason, message: expect.stringContaining(hostile.message) },
    });
    await recorder.source.release(key, AbortSignal.timeout(20_000));
    service.enqueue(job);
    const next = await fixture.forwardUntil(
      () => recorder.of('offered').find((offered) => offered.key !== key),
      'another offer',
    );
    expect((await recorder.source.claim(next.key, limit())).mode).toBe('payload');
    expect(strayCalls()).toEqual([]);
    expect(JSON.stringify([recorder.events, fixture.lines])).not.toContain('secret');
  });

  test('of 10 MB is passed on byte for byte', async () => {
    fixture = await ClassicFixture.start();
    const filler = `${'🚄é'.repeat(10_000_000 / 6)}\\"\u2028`;
    const extra = { filler, large: 18_446_744_073_709_551_615n, small: -9_223_372_036_854_775_808n };
    fixture.service.enqueue({ ...job, payloadExtra: extra });
    const recorder = await fixture.open();
    const { claim } = await recorder.claimJob();
    const text = claim.payload.toString();
    expect(text.length).toBeGreaterThan(5_000_000);
    expect((JSON.parse(text) as { filler: string }).filler === filler).toBe(true);
    expect(text.slice(-100)).toContain('"large":18446744073709551615,"small":-9223372036854775808}');
  });
});
