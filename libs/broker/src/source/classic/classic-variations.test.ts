import { afterEach, describe, expect, test } from '@jest/globals';
import { createCipheriv, randomBytes } from 'node:crypto';
import type { HttpCall } from '../../http/exchange.js';
import { ClassicFixture, job } from '../../testing/classic-fixture.js';
import { eventually } from '../../testing/eventually.js';
import { encodeJitConfig } from '../../testing/jit-config.js';
import { allChanges, changedJson, variedHttp, type Variation } from '../../testing/varied-http.js';
import { limit } from '../../testing/source-recorder.js';

type Json = Record<string, unknown>;
type Endpoint = Json & { url: string; authorization: { parameters: Json } };

let fixture: ClassicFixture;

afterEach(async () => {
  await fixture.close();
  expect(fixture.service.violations).toEqual([]);
});

/** Returns a copy of an object with only the named fields. */
const only = (value: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));

const capitalized = (value: Json): Json =>
  Object.fromEntries(
    Object.entries(value).map(([name, one]) => [`${name[0]?.toUpperCase()}${name.slice(1)}`, one]),
  );

const texts = (value: Json): Json =>
  Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      typeof one === 'number' || typeof one === 'boolean' ? String(one) : one,
    ]),
  );

/** Changes the body of the message that offers a job. */
const changedOffer = (change: (offer: Json) => unknown) =>
  changedJson('/message', (message) => {
    const changed = change(JSON.parse(String(message['body'])) as Json);
    return { ...message, body: changed };
  });

const asText = (change: (offer: Json) => Json) => changedOffer((offer) => JSON.stringify(change(offer)));

/** Changes the endpoint of the service that keeps the lock. */
const changedEndpoint = (change: (endpoint: Endpoint) => unknown) =>
  changedJson('/acquirejob', (payload) => {
    const { endpoints } = payload['resources'] as { endpoints: Endpoint[] };
    return { ...payload, resources: { endpoints: endpoints.map(change) } };
  });

const changedRunnerFile = (change: (runner: Json) => Json) =>
  changedJson('/generate-jitconfig', (value) => {
    const files = JSON.parse(Buffer.from(String(value['encoded_jit_config']), 'base64').toString()) as Json;
    const read = (file: unknown) => JSON.parse(Buffer.from(String(file), 'base64').toString()) as Json;
    const changed = Object.entries(files).map(([name, file]) => [
      name,
      name === '.runner' ? change(read(file)) : read(file),
    ]);
    return { ...value, encoded_jit_config: encodeJitConfig(Object.fromEntries(changed) as Json) };
  });

const status =
  (from: number, to: number, end = ''): NonNullable<Variation['answer']> =>
  (call, answer) =>
    answer.status === from && call.url.pathname.endsWith(end) ? { ...answer, status: to } : answer;

const movedTo = (call: HttpCall, pathname: string): HttpCall => {
  return { ...call, url: new URL(pathname + call.url.search, call.url.origin) };
};

const withoutHost = (url: unknown): string => new URL(String(url)).pathname;
const withoutSlash = (url: unknown): string => String(url).replace(/\/$/, '');

/** Encrypts the bodies of messages with a key that the session receives. */
function encrypted(): NonNullable<Variation['answer']> {
  const key = randomBytes(32);
  return allChanges(
    changedJson('/session', (value) => ({
      ...value,
      encryptionKey: { encrypted: false, value: key.toString('base64') },
    })),
    changedJson('/message', (value) => {
      const iv = randomBytes(16);
      const cipher = createCipheriv('aes-256-cbc', key, iv);
      const body = Buffer.concat([cipher.update(`\uFEFF${String(value['body'])}`), cipher.final()]);
      return { ...value, iv: iv.toString('base64'), body: body.toString('base64') };
    }),
  );
}

/** Serves everything at the URL of the broker, which the offer of a job does not name again. */
function oneBase(): Variation {
  let runService = '';
  const answer = changedOffer((offer) => {
    runService = new URL(String(offer['run_service_url'])).pathname;
    return JSON.stringify(only(offer, 'runner_request_id', 'billing_owner_id'));
  });
  const call = (one: HttpCall): HttpCall => {
    const [, name] = /^\/broker\/(acquirejob|renewjob|completejob)$/.exec(one.url.pathname) ?? [];
    return name === undefined ? one : movedTo(one, `${runService}${name}`);
  };
  return {
    call,
    answer: allChanges(
      answer,
      changedEndpoint(({ url: _url, ...endpoint }) => endpoint),
    ),
  };
}

const sparse = allChanges(
  changedJson('/access_tokens', (value) => only(value, 'token')),
  changedRunnerFile((runner) => only(runner, 'ServerUrlV2')),
  changedJson('/generate-jitconfig', (value) => ({ ...value, runner: only(value['runner'] as Json, 'id') })),
  changedJson('/session', (value) => only(value, 'sessionId')),
  changedJson('/message', (value) => only(value, 'messageType', 'body')),
  asText((offer) => only(offer, 'runner_request_id', 'run_service_url')),
  changedJson('/acquirejob', (value) => only(value, 'plan', 'resources')),
  changedEndpoint(({ name, url, authorization }) => ({ name, url, authorization })),
  changedJson('/renewjob', () => ({})),
);

const variations: [string, Variation][] = [
  [
    'has the endpoint of the App at its root',
    {
      call: (call) =>
        call.url.pathname.startsWith('/app/') ? movedTo(call, `/api/v3${call.url.pathname}`) : call,
      answer: (call, answer) =>
        call.url.pathname.startsWith('/api/v3/app/')
          ? { ...answer, status: 404, body: Buffer.from('404 page not found\n') }
          : answer,
    },
  ],
  ['leaves out every field that it can', { answer: sparse }],
  ['answers 200 in place of 201', { answer: status(201, 200) }],
  ['answers 201 in place of 200', { answer: status(200, 201) }],
  ['answers 200 in place of 204', { answer: status(204, 200) }],
  ['answers 204 to polls without a message', { answer: status(202, 204, '/message') }],
  [
    'answers polls without a message with 200 and null',
    {
      answer: (_call, answer) =>
        answer.status === 202 ? { ...answer, status: 200, body: Buffer.from('null\n') } : answer,
    },
  ],
  ['renews without saying until when', { answer: changedJson('/renewjob', () => undefined) }],
  [
    'states no content type, and writes a byte order mark',
    {
      answer: (_call, answer) => ({
        ...answer,
        headers: {},
        body: answer.body.length === 0 ? answer.body : Buffer.concat([Buffer.from('\uFEFF'), answer.body]),
      }),
    },
  ],
  [
    'writes names with capitals',
    {
      answer: allChanges(
        ...['/token', '/session', '/message', '/acquirejob', '/renewjob'].map((end) =>
          changedJson(end, capitalized),
        ),
      ),
    },
  ],
  [
    'writes numbers and flags as strings',
    {
      answer: allChanges(
        changedJson('/generate-jitconfig', (value) => ({ ...value, runner: texts(value['runner'] as Json) })),
        ...['/session', '/message', '/renewjob'].map((end) => changedJson(end, texts)),
        asText(texts),
      ),
    },
  ],
  ['writes the body of a message as an object', { answer: changedOffer((offer) => offer) }],
  [
    'writes the names of a message as JavaScript does',
    {
      answer: asText(({ runner_request_id, run_service_url, billing_owner_id }) => ({
        ...{ runnerRequestId: runner_request_id, runServiceUrl: run_service_url },
        billingOwnerId: billing_owner_id,
      })),
    },
  ],
  [
    'writes URLs without their host',
    {
      answer: allChanges(
        asText((offer) => ({ ...offer, run_service_url: withoutHost(offer['run_service_url']) })),
        changedEndpoint((endpoint) => ({ ...endpoint, url: withoutHost(endpoint.url) })),
      ),
    },
  ],
  [
    'writes URLs without a slash at their end',
    {
      answer: allChanges(
        changedRunnerFile((runner) => ({ ...runner, ServerUrlV2: withoutSlash(runner['ServerUrlV2']) })),
        asText((offer) => ({ ...offer, run_service_url: withoutSlash(offer['run_service_url']) })),
        changedEndpoint((endpoint) => ({ ...endpoint, url: withoutSlash(endpoint.url) })),
      ),
    },
  ],
  ['has one URL for the broker and for jobs', oneBase()],
  ['encrypts its messages', { answer: encrypted() }],
  [
    'names the plan in a header alone',
    { answer: changedJson('/acquirejob', ({ plan: _plan, ...payload }) => payload) },
  ],
  [
    'names the plan in the payload alone',
    { answer: (_call, answer) => ({ ...answer, headers: { ...answer.headers, 'x-plan-id': undefined } }) },
  ],
];

describe('a classic source', () => {
  test.each(variations)('runs a job at a service that %s', async (_name, variation) => {
    fixture = await ClassicFixture.start({
      service: { busyPolls: true, timings: { pollHold: 20 } },
      broker: { http: variedHttp(variation) },
      maxListeners: 1,
    });
    const { service } = fixture;
    const recorder = await fixture.open();
    const { source } = recorder;
    await fixture.forwardUntil(() => source.sessions === 1, 'a session');
    const handle = service.enqueue(job);
    await fixture.forwardUntil(() => recorder.of('offered')[0], 'an offer');
    const { key, claim } = await recorder.claimJob();
    await source.settled(key, limit());
    const lock = source.lock(claim.lock);
    const { lockedUntil } = await lock.renew(limit());
    expect(lockedUntil).toBeGreaterThan(fixture.clock.now());
    await fixture.startWorker(claim.lock.token);
    expect(await lock.complete('succeeded', limit())).toBe('concluded');
    expect(await lock.complete('succeeded', limit())).toBe('ended');
    expect(service.job(handle.id)).toMatchObject({ status: 'completed', conclusion: 'success' });
    await source.release(key, limit());
    await eventually(() => service.runners().every(({ name }) => name !== claim.runnerName), 'the removal');
  });

  test('claims further jobs at a service that delivers several jobs to one runner, one after another', async () => {
    const call = (one: HttpCall): HttpCall => {
      const { pathname } = one.url;
      return pathname === '/broker/session' ? movedTo(one, '/broker/sessions') : one;
    };
    fixture = await ClassicFixture.start({
      service: { dialect: 'seed', timings: { pollHold: 20 } },
      broker: { dialect: 'live', http: variedHttp({ call }) },
      maxListeners: 1,
    });
    const { service } = fixture;
    const recorder = await fixture.open();
    for (let nth = 1; nth <= 4; nth++) {
      const { id } = service.enqueue(job);
      await fixture.forwardUntil(() => recorder.of('offered')[nth - 1], 'an offer');
      const { key, claim } = await recorder.claimJob(nth);
      await recorder.source.settled(key, limit());
      await recorder.source.lock(claim.lock).renew(limit());
      if (nth % 2 === 0) continue;
      await fixture.startWorker(claim.lock.token);
      await recorder.source.lock(claim.lock).complete('succeeded', limit());
      await recorder.source.release(key, limit());
      expect(service.job(id)?.conclusion).toBe('success');
    }
  });

  test('renews with the token of the runner if the payload has none', async () => {
    const answer = changedJson('/acquirejob', ({ plan }) => ({ plan }));
    fixture = await ClassicFixture.start({ broker: { http: variedHttp({ answer }) } });
    fixture.service.enqueue(job);
    const recorder = await fixture.open();
    const { claim } = await recorder.claimJob();
    const [claimed] = fixture.service.journal.entries({ route: '/run/{shard}/acquirejob' });
    expect(claim.lock.url).toContain('/run/');
    expect(claimed?.subject.kind).toBe('runner');
    expect(claim.lock.token).toMatch(/^\S{20,}$/);
  });

  test.each<[state: string, text: string, what: string, route: string, status: number]>([
    ['versionTooOld', 'runner version is too old', 'a session', '/broker/session', 400],
    ['versionTooOld', '', 'a session', '/broker/session', 400],
    ['sessionHeld', 'session exists', 'a session', '/broker/session', 409],
    ['rateLimited', 'slow down', 'a poll', '/broker/message', 429],
  ])('reports %s for the text %j as the refusal of %s', async (state, body, _what, route, status) => {
    fixture = await ClassicFixture.start({ maxListeners: 1 });
    fixture.fail(route, { kind: 'status', status, body }, 20);
    const recorder = await fixture.open();
    const isSeen = () => recorder.of('health').find(({ health }) => health.state === state);
    await fixture.forwardUntil(isSeen, state, 10_000);
  });
});
