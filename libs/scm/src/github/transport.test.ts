import { describe, expect, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { ScriptedServer, type ScriptedAnswer } from '../testing/scripted-server.js';
import { expectEndWithSignal, useScriptedFixtures } from '../testing/scripted-fixture.js';
import { useClosing } from '../testing/use-closing.js';
import { githubPlugin } from './plugin.js';

const token = 'ghp_canary';
const closing = useClosing();
const fixture = useScriptedFixtures({
  plugin: githubPlugin,
  repository: { owner: 'acme', name: 'web' },
  secret: { token },
});
const described = { body: { default_branch: 'main', archived: false } };
const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('a request', () => {
  test('is sent to the API of the host, with the token and the API version', async () => {
    const { repository, server } = await fixture(() => described);
    expect(await repository.describe()).toEqual({ defaultBranch: 'main', archived: false });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      path: '/api/v3/repos/acme/web',
      headers: { authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' },
    });
  });

  test('follows a redirect to the same host, but not to another host', async () => {
    const elsewhere = closing(await ScriptedServer.start(() => described));
    let target = '/api/v3/repositories/7';
    const { repository, server } = await fixture(({ path }) =>
      path.endsWith('/web')
        ? { status: 301, headers: { location: target }, body: { message: 'Moved' } }
        : described,
    );
    expect(await repository.describe()).toMatchObject({ defaultBranch: 'main' });
    expect(server.seen.map(({ path }) => path)).toEqual(['/api/v3/repos/acme/web', '/api/v3/repositories/7']);
    target = `${elsewhere.url}/api/v3/repositories/7`;
    expect(await settled(repository.describe())).toMatchObject({ type: 'Permanent', reason: 'Moved' });
    expect(elsewhere.seen).toHaveLength(0);
  });

  test('is repeated after a 5xx when it reads, and sent three times in total', async () => {
    let failures = 2;
    const { repository, server, clock } = await fixture(() =>
      failures-- > 0 ? { status: 502, body: '<html>' } : described,
    );
    await clock.run(repository.describe());
    expect(server.seen).toHaveLength(3);
    failures = 99;
    expect(await settled(clock.run(repository.describe()))).toMatchObject({ type: 'Transient' });
    expect(server.seen).toHaveLength(6);
  });

  test('is not repeated after a 5xx when it writes', async () => {
    const { repository, server, clock } = await fixture(() => ({ status: 500, body: { message: 'boom' } }));
    const closing = settled(clock.run(repository.closePullRequest(7)));
    expect(await closing).toMatchObject({ type: 'Transient' });
    expect(server.seen).toHaveLength(1);
  });

  test.each(['before', 'inside'] as const)('that is cut %s its body is Transient', async (cut) => {
    const { repository } = await fixture(() => ({ ...described, cut }));
    const error = await settled(repository.updatePullRequest(7, { title: 'x' }));
    expect(error).toMatchObject({ type: 'Transient', reason: 'Network' });
    expect(String(error)).toContain('update pull request 7 of acme/web');
  });

  test('that is not answered in time is Transient', async () => {
    const { repository } = await fixture(() => ({ hang: true }), { timeoutMs: 50 });
    const error = await settled(repository.closePullRequest(7));
    expect(error).toMatchObject({ type: 'Transient', reason: 'Timeout' });
  });

  test('fails with the reason of its signal', () => expectEndWithSignal(fixture));

  test('whose answer is not JSON is Transient', async () => {
    const { repository } = await fixture(() => ({
      headers: { 'content-type': 'text/html' },
      body: '<html>',
    }));
    const error = await settled(repository.closePullRequest(7));
    expect(error).toMatchObject({ type: 'Transient', reason: 'BadAnswer' });
  });

  test('whose compressed answer is too large is Invalid', async () => {
    const { repository } = await fixture(() => ({
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ title: 'a'.repeat(17 * 1024 * 1024) })),
    }));
    expect(await settled(repository.closePullRequest(7))).toMatchObject({
      type: 'Invalid',
      reason: 'TooLarge',
    });
  });

  test('that fails does not reveal a secret', async () => {
    const body = { message: 'Bad credentials' };
    for (const status of [401, 403, 404, 422, 500]) {
      const { repository } = await fixture(() => ({ status, body }));
      const error = await settled(repository.closePullRequest(7));
      const shown = `${String(error)} ${JSON.stringify(error)} ${error instanceof Error ? String(error.cause) : ''}`;
      expect(shown).toContain('close pull request 7');
      expect(shown).not.toContain('canary');
    }
  });
});

describe('a refusal because of a rate limit', () => {
  const limited = (headers: Record<string, string>): ScriptedAnswer => ({
    status: 429,
    headers,
    body: { message: 'slow down' },
  });

  test('is retried after a short pause, even for a write', async () => {
    let refusals = 1;
    const { repository, server, clock } = await fixture(() =>
      refusals-- > 0 ? limited({ 'retry-after': '4' }) : { status: 201, body: { sha: 'm', merged: true } },
    );
    const before = clock.now();
    const merge = repository.mergePullRequest(7, { base: 'b', headSha: 'h', method: 'merge' });
    expect(await clock.run(merge)).toEqual({ mergeSha: 'm' });
    expect(server.seen).toHaveLength(2);
    expect(clock.now() - before).toBeGreaterThanOrEqual(4_000);
  });

  test('applies to every user of the credential, in any connection', async () => {
    const answers = [limited({ 'retry-after': '600' })];
    const first = await fixture(() => answers.shift() ?? described);
    expect(await settled(first.repository.describe())).toMatchObject({ type: 'RateLimited' });
    const again = first.registry.repository(
      { kind: 'ScmProvider', metadata: { name: 'other' }, spec: { github: { domain: first.server.url } } },
      { token },
      { metadata: { name: 'api' }, spec: { github: { owner: 'acme', name: 'api' } } },
    );
    const error = await settled(again.describe());
    expect(error).toMatchObject({ type: 'RateLimited' });
    expect(error).toHaveProperty('retryAfterMs', 615_000);
    expect(first.server.seen).toHaveLength(1);
    await first.clock.advance(600_000);
    expect(await again.describe()).toMatchObject({ defaultBranch: 'main' });
  });

  test('with Retry-After: 30 stops all requests of the credential for 30 s', async () => {
    let refusals = 1;
    const { repository, server, clock } = await fixture(() =>
      refusals-- > 0 ? limited({ 'retry-after': '30' }) : described,
    );
    expect(await settled(repository.describe())).toMatchObject({ type: 'RateLimited' });
    await clock.advance(25_000);
    const calls = (['read', 'critical'] as const).map((priority) => repository.describe({ priority }));
    await clock.advance(4_999);
    expect(server.seen).toHaveLength(1);
    for (const call of calls) expect(await clock.run(call)).toMatchObject({ defaultBranch: 'main' });
    expect(server.seen).toHaveLength(3);
  });

  test('of one credential does not affect another credential', async () => {
    const { registry, server, repository } = await fixture(({ headers }) =>
      headers['authorization'] === `Bearer ${token}` ? limited({ 'retry-after': '600' }) : described,
    );
    await settled(repository.describe());
    const other = registry.repository(
      { kind: 'ScmProvider', metadata: { name: 'acme' }, spec: { github: { domain: server.url } } },
      { token: 'ghp_other' },
      { metadata: { name: 'web' }, spec: { github: { owner: 'acme', name: 'web' } } },
    );
    expect(await other.describe()).toMatchObject({ defaultBranch: 'main' });
  });

  test('without a time is treated as a pause of one minute', async () => {
    const secondary = 'You have exceeded a secondary rate limit.';
    const { repository } = await fixture(() => ({ status: 403, body: { message: secondary } }));
    expect(await settled(repository.describe())).toMatchObject({ type: 'RateLimited', retryAfterMs: 63_000 });
  });

  test('is predicted from the headers, by the clock of the server', async () => {
    const ahead = 7_200_000;
    const { repository, clock, server } = await fixture(() => ({
      ...described,
      headers: {
        date: new Date(clock.now() + ahead).toUTCString(),
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String((clock.now() + ahead) / 1000 + 8),
      },
    }));
    await repository.describe();
    const before = clock.now();
    await clock.run(repository.describe());
    expect(clock.now() - before).toBe(8_000);
    expect(server.seen).toHaveLength(2);
  });
});

describe('a read', () => {
  test('without changes results in a 304, and returns the same value', async () => {
    const { repository, server } = await fixture(({ headers }) =>
      headers['if-none-match'] === '"v1"' ? { status: 304 } : { ...described, headers: { etag: '"v1"' } },
    );
    const once = await repository.describe();
    expect(await repository.describe()).toEqual(once);
    expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
  });

  test('does not return the result of another credential', async () => {
    const { repository, registry, server } = await fixture(({ headers }) =>
      headers['authorization'] === `Bearer ${token}`
        ? { ...described, headers: { etag: '"v1"' } }
        : { status: 404, body: { message: 'Not Found' } },
    );
    await repository.describe();
    const other = registry.repository(
      { kind: 'ScmProvider', metadata: { name: 'acme' }, spec: { github: { domain: server.url } } },
      { token: 'ghp_other' },
      { metadata: { name: 'web' }, spec: { github: { owner: 'acme', name: 'web' } } },
    );
    expect(await settled(other.describe())).toMatchObject({ type: 'NotFound' });
    expect(server.seen[1]?.headers['if-none-match']).toBeUndefined();
  });

  test('of a list that never ends fails instead of being cut', async () => {
    const { repository, server } = await fixture(() => ({
      headers: { link: '<http://127.0.0.1/next>; rel="next"' },
      body: [],
    }));
    const query = { head: 'next', base: 'main', state: 'all' } as const;
    expect(await settled(repository.findPullRequests(query))).toMatchObject({ reason: 'TooMany' });
    expect(server.seen).toHaveLength(100);
  });
});

describe('metrics', () => {
  test('count successful, refused and unanswered calls, by namespace', async () => {
    const answers: ScriptedAnswer[] = [
      {
        ...described,
        headers: {
          date: 'Thu, 01 Jan 2026 00:00:00 GMT',
          'x-ratelimit-limit': '5000',
          'x-ratelimit-remaining': '4999',
          'x-ratelimit-reset': '1767229200',
        },
      },
      { status: 404, body: { message: 'Not Found' } },
      { cut: 'before' },
    ];
    const { repository, metrics } = await fixture(() => answers.shift() ?? described);
    await repository.describe();
    await settled(repository.closePullRequest(7));
    await settled(repository.closePullRequest(7));
    const text = await metrics.metrics();
    const from = 'namespace="team",scm_provider="acme",scm_provider_kind="ScmProvider"';
    for (const line of [
      `scm_calls_total{${from},api="Repository",operation="get",response_code="200"} 1`,
      `scm_calls_total{${from},api="PullRequest",operation="close",response_code="404"} 1`,
      `scm_calls_total{${from},api="PullRequest",operation="close",response_code="error"} 1`,
      `scm_calls_duration_seconds_count{api="PullRequest",operation="close",response_code="404"} 1`,
      'scm_calls_rate_limit_limit{namespace="team",scm_provider="acme",scm_provider_kind="ScmProvider"} 5000',
      'scm_calls_rate_limit_remaining{namespace="team",scm_provider="acme",scm_provider_kind="ScmProvider"} 4999',
      'scm_calls_rate_limit_reset_remaining_seconds{namespace="team",scm_provider="acme",scm_provider_kind="ScmProvider"} 3600',
    ]) {
      expect(text).toContain(line);
    }
  });
});
