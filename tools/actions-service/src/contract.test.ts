import type { LookupFunction } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { startActionsService } from './index.js';
import { TestClient } from './testing/client.js';
import { closeHarnesses, pollsWaiting, startHarness } from './testing/harness.js';

afterEach(closeHarnesses);

test('a token of the installation is issued only for a valid App token', async () => {
  const { service, client, clock } = await startHarness();
  const url = `${service.urls.rest}/app/installations/${String(service.installationId)}/access_tokens`;
  const now = Math.floor(clock.now() / 1000);
  const status = async (claims: Record<string, unknown>) =>
    (await client.send('POST', url, { token: client.appJwt(claims) })).status;
  expect(await status({})).toBe(201);
  expect(await status({ iss: 'Iv23liTest' })).toBe(201);
  expect(await status({ exp: now - 1 })).toBe(401);
  expect(service.violations).toEqual([]);
  expect(await status({ exp: now + 700 })).toBe(401);
  expect(await status({ iss: '1' })).toBe(404);
  expect((await client.send('POST', url)).status).toBe(401);
  expect(service.violations.map(({ rule }) => rule)).toEqual([
    'invalid-assertion',
    'invalid-assertion',
    'missing-credential',
  ]);
});

test('a key of the App is valid until it is deleted, even if there are other keys', async () => {
  const { service, client } = await startHarness();
  const url = `${service.urls.rest}/app/installations/${String(service.installationId)}/access_tokens`;
  const status = async (privateKey: string) =>
    (await client.send('POST', url, { token: client.appJwt({}, privateKey) })).status;
  const [first, second] = [service.app.privateKey, await service.addAppKey()];
  expect([await status(first), await status(second)]).toEqual([201, 201]);
  expect(service.removeAppKey(first)).toBe(true);
  expect([await status(first), await status(second)]).toEqual([401, 201]);
  expect(service.removeAppKey(first)).toBe(false);
});

test('clients reach the service by a name, and local programs reach the control API by its address', async () => {
  const lookup: LookupFunction = (_host, _options, found) =>
    found(null, [{ address: '127.0.0.2', family: 4 }]);
  const options = { protocol: 'https', address: '127.0.0.2', hostName: 'github.example.com' } as const;
  const service = await startActionsService(options);
  const client = new TestClient(service, Date.now, { connect: { ca: service.ca ?? '', lookup } });
  expect(service.urls.web).toMatch(/^https:\/\/github\.example\.com:\d+$/);
  expect(service.urls.control).toMatch(/^https:\/\/127\.0\.0\.2:/);
  expect(await client.installationToken()).not.toBe('undefined');
  expect((await client.send('GET', `${service.urls.control}/jobs`)).status).toBe(200);
  await client.close();
  await service.close();
});

test('a request is recorded with its address and the account of its credential', async () => {
  const { service, client, token, connect } = await startHarness(
    { address: '127.0.0.2', protocol: 'https' },
    { localAddress: '127.0.0.3' },
  );
  expect(service.urls.web).toMatch(/^https:\/\/127\.0\.0\.2:/);
  const session = await connect('runner');
  service.enqueue({ repository: 'acme/web', labels: ['linux'] });
  const job = await session.take();
  await session.renew(job);
  await client.rest('GET', 'orgs/other/actions/runners', token);
  await client.send('GET', `${service.urls.rest}/rate_limit`);
  const known = service.journal
    .entries()
    .map(({ client: address, owner, subject }) => ({ address, owner, kind: subject.kind }));
  expect(new Set(known.map(({ address }) => address))).toEqual(new Set(['127.0.0.3']));
  const owners = Object.fromEntries(known.map(({ kind, owner }) => [kind, owner]));
  expect(owners).toEqual({
    app: 'acme',
    installation: 'acme',
    runner: 'acme',
    job: 'acme',
    anonymous: undefined,
  });
});

test.each([
  [{}, 422],
  [{ name: 'a', runner_group_id: 1, labels: [] }, 422],
  [{ name: 'a', runner_group_id: 1, labels: Array.from({ length: 101 }, String) }, 422],
  [{ name: 'a', runner_group_id: 77, labels: ['x'] }, 404],
  [{ name: 'taken', runner_group_id: 1, labels: ['x'] }, 409],
  [{ name: 'a', runner_group_id: 1, labels: ['x'] }, 201],
])('generate-jitconfig answers %j with %s', async (body, status) => {
  const { client, token } = await startHarness();
  await client.register(token, 'taken');
  expect(
    (await client.rest('POST', 'orgs/acme/actions/runners/generate-jitconfig', token, body)).status,
  ).toBe(status);
});

test('runners can be listed by name and by page, read and deleted', async () => {
  const { client, token } = await startHarness();
  const [first] = [await client.register(token, 'a'), await client.register(token, 'b')];
  const list = 'orgs/acme/actions/runners';
  expect((await client.rest('GET', `${list}?name=A`, token)).json).toMatchObject({
    total_count: 1,
    runners: [{ name: 'a' }],
  });
  const page = await client.rest('GET', `${list}?per_page=1`, token);
  expect(page.json).toMatchObject({ total_count: 2, runners: [{ name: 'a' }] });
  expect(page.headers['link']).toContain('page=2');
  const path = `${list}/${String(first.id)}`;
  expect((await client.rest('GET', path, token)).json).toMatchObject({ status: 'offline', busy: false });
  expect((await client.rest('DELETE', path, token)).status).toBe(204);
  expect((await client.rest('DELETE', path, token)).status).toBe(404);
  expect((await client.rest('GET', 'orgs/other/actions/runners', token)).status).toBe(404);
});

test('the REST API has a rate limit, which is reset after an hour', async () => {
  const { client, token, clock } = await startHarness({ rateLimit: 1 });
  const get = () => client.rest('GET', 'orgs/acme/actions/runners', token);
  expect((await get()).headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '1' });
  expect(await get()).toMatchObject({ status: 403, headers: { 'x-ratelimit-remaining': '0' } });
  await clock.advance(3_599_999);
  expect((await get()).status).toBe(403);
  await clock.advance(1);
  expect(
    (
      await client.send('GET', `${client.service.urls.rest}/orgs/acme/actions/runners`, {
        token: await client.installationToken(),
      })
    ).status,
  ).toBe(200);
});

test.each([
  ['a lifetime of more than five minutes', { exp: Date.UTC(2026, 0, 1) / 1000 + 301 }, 'lifetime'],
  ['another audience', { aud: 'https://example.com' }, 'audience'],
  ['another subject', { sub: 'x' }, 'subject'],
])('an assertion with %s is refused as a violation', async (_name, claims, text) => {
  const { service, client, token } = await startHarness();
  const runner = await client.register(token, 'r1');
  const { status, json } = await client.exchange(runner, client.assertion(runner, claims));
  expect([status, json['error']]).toEqual([400, 'invalid_client']);
  expect(json['error_description']).toContain(text);
  expect(service.violations.map(({ rule }) => rule)).toEqual(['invalid-assertion']);
});

test('an assertion is refused because of clock skew, and while the registration propagates', async () => {
  const { service, client, token } = await startHarness({ propagationFailures: 1 });
  const runner = await client.register(token, 'r1');
  expect((await client.exchange(runner)).json['error_description']).toContain('was not found');
  const late = Date.UTC(2026, 0, 1) / 1000 + 3_600;
  const skewed = await client.exchange(runner, client.assertion(runner, { nbf: late, exp: late + 300 }));
  expect(skewed.json['error_description']).toContain('Current server time is 2026-01-01T00:00:00.000Z');
  expect((await client.exchange(runner, client.assertion(runner, {}, 'PS256'))).status).toBe(200);
  expect(service.violations).toEqual([]);
});

test('a session is refused for an old version, and while the runner has another session', async () => {
  const { client, token, clock } = await startHarness();
  const runner = await client.register(token, 'r1');
  const access = await client.runnerToken(runner);
  expect((await client.createSession(runner, access, '2.328.9')).json).toMatchObject({
    errorKind: 'RunnerVersionTooOld',
    statusCode: 400,
  });
  const created = await client.createSession(runner, access);
  expect(created).toMatchObject({ status: 201, json: { ownerName: 'test' } });
  expect((await client.createSession(runner, access)).status).toBe(409);
  await clock.advance(130_000);
  expect((await client.createSession(runner, access)).status).toBe(201);
});

test('a second poll of a session ends the first poll, and is a violation unless the first poll is aborted', async () => {
  const { service, connect, clock } = await startHarness();
  const session = await connect('r1');
  const abort = new AbortController();
  const aborted = expect(session.poll('Online', abort.signal)).rejects.toThrow();
  await pollsWaiting(service, 1);
  const second = session.poll('Busy');
  await pollsWaiting(service, 2);
  abort.abort();
  await aborted;
  await clock.advance(1_000);
  expect(service.violations).toEqual([]);
  const third = session.poll();
  await pollsWaiting(service, 2);
  await clock.advance(1_000);
  expect((await second).status).toBe(202);
  expect(service.violations.map(({ rule }) => rule)).toEqual(['overlapping-polls']);
  expect(service.expireSession(session.id)).toBe(true);
  expect((await third).json).toMatchObject({ errorKind: 'RunnerSessionInvalid' });
});

test('credentials of the wrong kind, wrong bodies and unknown routes are violations', async () => {
  const { service, connect, client, token } = await startHarness();
  const session = await connect('r1');
  service.enqueue({ repository: 'acme/web', labels: ['linux'] });
  const offer = await session.offer();
  const held = await session.acquire(offer).then(() => undefined);
  expect(held).toBeUndefined();
  const renew = `${offer.runUrl}renewjob`;
  const body = { planId: 'x', jobId: offer.requestId };
  expect((await client.send('POST', renew, { token: session.token, body })).status).toBe(401);
  expect((await client.send('POST', renew, { token: 'abc', body })).status).toBe(401);
  expect((await client.send('POST', `${service.urls.broker}/session`, { token, body: {} })).status).toBe(401);
  expect((await client.rest('POST', 'orgs/acme/actions/runners/generate-jitconfig', token, {})).status).toBe(
    422,
  );
  expect((await client.send('GET', `${service.urls.broker}/sessions`)).status).toBe(404);
  expect(
    (
      await client.send('POST', `${service.urls.run}/0/acquirejob`, {
        token: session.token,
        body: { jobMessageId: offer.requestId, runnerOS: 'Linux', billingOwnerId: '' },
      })
    ).status,
  ).toBe(404);
  expect(service.violations.map(({ rule }) => rule)).toEqual([
    'wrong-credential',
    'unknown-credential',
    'wrong-credential',
    'malformed-request',
    'unknown-route',
    'run-service-url',
  ]);
});

test('a token that has expired is refused without a violation', async () => {
  const { service, connect } = await startHarness();
  const session = await connect('r1');
  service.expireTokens('runner', String(session.runner.id));
  expect((await session.poll()).status).toBe(401);
  expect(service.violations).toEqual([]);
});

test('each base URL has its own port if this is configured, and other paths are not served on that port', async () => {
  const { service, client } = await startHarness({ separatePorts: true });
  expect(new Set(Object.values(service.urls).map((url: string) => new URL(url).port)).size).toBe(7);
  const other = `${new URL(service.urls.run).origin}/broker/health`;
  expect((await client.send('GET', other)).status).toBe(404);
  expect(service.violations.map(({ rule }) => rule)).toEqual(['wrong-port']);
  expect(service.journal.entries({ base: 'broker' })).toMatchObject([{ port: 'run' }]);
});

test.each([
  [true, 'h2'],
  [false, 'http/1.1'],
])('over TLS, a client can use HTTP/2 or HTTP/1.1 (allowH2: %s)', async (allowH2, protocol) => {
  const { service, connect } = await startHarness({ protocol: 'https' }, { allowH2 });
  const session = await connect('r1');
  const poll = session.poll();
  await pollsWaiting(service, 1);
  service.enqueue({ repository: 'acme/web', labels: ['linux'] });
  expect((await poll).status).toBe(200);
  expect(service.journal.entries({ route: '/broker/message' })).toMatchObject([{ protocol, status: 200 }]);
});

test('the journal names subjects and never holds a credential', async () => {
  const { service, connect, token } = await startHarness();
  const session = await connect('r1');
  const text = JSON.stringify(service.journal.entries());
  expect(text).not.toContain(token);
  expect(text).not.toContain(session.token);
  expect(service.journal.entries({ route: '/broker/session' })).toMatchObject([
    { subject: { kind: 'runner', id: String(session.runner.id) }, status: 201 },
  ]);
});

test('an independent client can use the control API', async () => {
  const { service, clock } = await startHarness();
  const client = new TestClient(service, () => clock.now());
  const at = (path: string) => `${service.urls.control}/${path}`;
  const { status, json } = await client.send('POST', at('jobs'), {
    body: { repository: 'acme/web', labels: ['x'] },
  });
  expect([status, json['status']]).toEqual([201, 'queued']);
  expect((await client.send('POST', at('cancel'), { body: { runId: json['runId'] } })).status).toBe(204);
  expect((await client.send('GET', at(`jobs/${String(json['id'])}`))).json).toMatchObject({
    conclusion: 'cancelled',
  });
  expect(
    (await client.send('POST', at('faults'), { body: { effect: { kind: 'hang' }, times: 0 } })).status,
  ).toBe(201);
  expect((await client.send('DELETE', at('faults'))).status).toBe(204);
  expect((await client.send('POST', at('jobs'), { body: {} })).status).toBe(400);
  expect((await client.send('GET', at('verdict'))).json).toMatchObject({
    jobs: 1,
    cancelled: 1,
    violations: 0,
  });
  await client.close();
});
