import { describe, expect, test } from '@jest/globals';
import { ScriptedServer, type ScriptedAnswer } from '../testing/scripted-server.js';
import { expectEndWithSignal, useScriptedFixtures } from '../testing/scripted-fixture.js';
import { useClosing } from '../testing/use-closing.js';
import { gitlabPlugin } from './plugin.js';

const token = 'glpat-canary';
const closing = useClosing();
const fixture = useScriptedFixtures({
  plugin: gitlabPlugin,
  repository: { namespace: 'acme/platform', name: 'web' },
  secret: { token },
});
const described: ScriptedAnswer = {
  body: { default_branch: 'main', archived: false, merge_method: 'merge', squash_option: 'never' },
};
const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('a request', () => {
  test('is sent to the API of the host, with the token and the encoded path of the project', async () => {
    const { repository, server } = await fixture(() => described);
    expect(await repository.describe()).toEqual({ defaultBranch: 'main', archived: false });
    expect(server.seen).toMatchObject([
      { method: 'GET', path: '/api/v4/projects/acme%2Fplatform%2Fweb', headers: { 'private-token': token } },
    ]);
    expect(repository.cloneUrl).toBe(`${server.url}/acme/platform/web.git`);
    expect(repository.webUrl({ pullRequest: 7 })).toBe(`${server.url}/acme/platform/web/-/merge_requests/7`);
    expect(repository.webUrl({ commit: 'abc' })).toBe(`${server.url}/acme/platform/web/-/commit/abc`);
  });

  test('names the project by its id if that is set', async () => {
    const { repository, server } = await fixture(() => described, {
      repository: { namespace: 'acme', name: 'web', projectID: 42 },
    });
    await repository.describe();
    expect(server.seen).toMatchObject([{ path: '/api/v4/projects/42' }]);
  });

  test('has a JSON body', async () => {
    const { repository, server } = await fixture(() => ({ body: { iid: 7, labels: [], state: 'closed' } }));
    await repository.closePullRequest(7);
    expect(server.seen).toMatchObject([
      { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"state_event":"close"}' },
    ]);
  });

  test('does not follow a redirect to another host', async () => {
    const elsewhere = closing(await ScriptedServer.start(() => described));
    const location = `${elsewhere.url}/api/v4/projects/42`;
    const { repository } = await fixture(() => ({
      status: 301,
      headers: { location },
      body: { message: 'x' },
    }));
    expect(await settled(repository.describe())).toMatchObject({ type: 'Permanent', reason: 'Moved' });
    expect(elsewhere.seen).toEqual([]);
  });

  test.each([
    ['is repeated after a 5xx when it reads, and sent three times in total', 'describe', 3],
    ['is not repeated after a 5xx when it writes', 'close', 1],
  ] as const)('%s', async (_, operation, times) => {
    const { repository, server, clock } = await fixture(() => ({ status: 502, body: '<html>' }));
    const asked: Promise<unknown> =
      operation === 'describe' ? repository.describe() : repository.closePullRequest(7);
    expect(await settled(clock.run(asked))).toMatchObject({ type: 'Transient' });
    expect(server.seen).toHaveLength(times);
  });

  test.each([
    ['is cut off', { cut: 'inside', body: {} }, 'Network', {}],
    ['is not JSON', { body: '<html>' }, 'BadAnswer', {}],
    ['does not arrive in time', { hang: true }, 'Timeout', { timeoutMs: 300 }],
  ] as const)('whose answer %s is Transient', async (_, answer, reason, options) => {
    const { repository } = await fixture(() => answer, options);
    expect(await settled(repository.closePullRequest(7))).toMatchObject({ type: 'Transient', reason });
  });

  test('fails with the reason of its signal', () => expectEndWithSignal(fixture));
});

describe('a refusal because of a rate limit', () => {
  const limited = (headers: Record<string, string>): ScriptedAnswer => ({
    status: 429,
    headers: { 'content-type': 'text/plain', ...headers },
    body: 'Retry later\n',
  });

  test('is retried once after a short pause', async () => {
    let refusals = 1;
    const { repository, server, clock } = await fixture(() =>
      refusals-- > 0 ? limited({ 'retry-after': '4' }) : described,
    );
    const before = clock.now();
    await clock.run(repository.describe());
    expect(server.seen).toHaveLength(2);
    expect(clock.now() - before).toBeGreaterThanOrEqual(4_000);
  });

  test('without a time is treated as a pause of one minute', async () => {
    const { repository, server } = await fixture(() => limited({}));
    const refused = { type: 'RateLimited', retryAfterMs: 63_000 };
    expect(await settled(repository.describe())).toMatchObject(refused);
    expect(await settled(repository.closePullRequest(7))).toMatchObject({ type: 'RateLimited' });
    expect(server.seen).toHaveLength(1);
  });

  test('is predicted from the headers', async () => {
    const { repository, clock } = await fixture(() => ({
      ...described,
      headers: {
        'ratelimit-limit': '2000',
        'ratelimit-remaining': '0',
        'ratelimit-reset': String(clock.now() / 1000 + 8),
        date: new Date(clock.now()).toUTCString(),
      },
    }));
    await repository.describe();
    const before = clock.now();
    await clock.run(repository.describe());
    expect(clock.now() - before).toBe(8_000);
  });
});

test('reuses an unchanged read after a 304 for the same token, but not for another token', async () => {
  const { repository, registry, server } = await fixture(({ headers }) =>
    headers['if-none-match'] === 'W/"v1"' ? { status: 304 } : { ...described, headers: { etag: 'W/"v1"' } },
  );
  const once = await repository.describe();
  expect(await repository.describe()).toEqual(once);
  const other = registry.repository(
    { kind: 'ScmProvider', metadata: { name: 'acme' }, spec: { gitlab: { domain: server.url } } },
    { token: 'glpat-other' },
    { metadata: { name: 'web' }, spec: { gitlab: { namespace: 'acme/platform', name: 'web' } } },
  );
  await other.describe();
  expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([
    undefined,
    'W/"v1"',
    undefined,
  ]);
});

test.each([
  [{}, 'the key token'],
  [{ token: 'two words' }, 'the Secret'],
])('refuses the Secret %j without quoting it', async (secret, message) => {
  const made = await fixture(() => described);
  const provider = { kind: 'ScmProvider', metadata: { name: 'acme' }, spec: { gitlab: {} } };
  const connect = (): unknown => made.registry.connect(provider, secret);
  expect(connect).toThrow(expect.objectContaining({ type: 'Unauthorized' }));
  expect(connect).toThrow(message);
  expect(connect).not.toThrow('two words');
});
