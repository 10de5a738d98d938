import { expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { FakeClock } from '@interlock/base/testing';
import type { HttpAnswer } from '../http/exchange.js';
import type { ServiceCall } from '../governor/pending-call.js';
import type { ServiceCaller } from '../governor/service-caller.js';
import { HostRules } from '../hosts.js';
import { refusalOfAnswer } from '../wire/refusal.js';
import { AppTokens } from './app-tokens.js';
import { GithubApi } from './github-api.js';
import { parseGithubUrl, type GithubTarget } from './github-url.js';
import { Runners } from './runners.js';

const target = parseGithubUrl('https://ghes.example/acme') as GithubTarget;

/** A server with this many runners, which ignores the requested name and size of pages. */
function serverOf(runners: number, pageSize: number, hasLinks: boolean) {
  const paths: string[] = [];
  const names = Array.from({ length: runners }, (_one, index) => ({ id: index + 1, name: `r-${index + 1}` }));
  const call = async ({ method, url }: ServiceCall): Promise<HttpAnswer> => {
    paths.push(`${method} ${url.pathname}`);
    const page = Number(new URLSearchParams(url.search).get('page'));
    const rest = names.slice((page - 1) * pageSize);
    const next = `<https://ghes.example/x?page=${page + 1}>; rel="next"`;
    const first = '<https://ghes.example/x?page=1>; rel="first"';
    const link = rest.length > pageSize ? `${first}, ${next}` : first;
    const headers = hasLinks ? { link } : {};
    return { status: 200, headers, body: Buffer.from(JSON.stringify({ runners: rest.slice(0, pageSize) })) };
  };
  const tokens = { get: () => Promise.resolve('token') } as unknown as AppTokens;
  const hosts = new HostRules({ githubUrl: target.webUrl, apiUrl: target.apiUrl });
  const api = new GithubApi(target, tokens, { call } as unknown as ServiceCaller, hosts);
  return { runners: new Runners(api), paths };
}

test.each<[title: string, runners: number, pageSize: number, hasLinks: boolean, calls: number]>([
  ['pages of 30 with links', 70, 30, true, 3],
  ['pages of 100 with links', 200, 100, true, 2],
  ['pages of 100 without links', 250, 100, false, 3],
  ['one page without a link', 3, 100, false, 1],
])('finds the last runner in a list in %s', async (_title, count, pageSize, hasLinks, calls) => {
  const { runners, paths } = serverOf(count, pageSize, hasLinks);
  expect(await runners.remove({ name: `r-${count}` }, new AbortController().signal)).toBe('removed');
  expect(paths).toEqual([
    ...Array.from({ length: calls }, () => 'GET /api/v3/orgs/acme/actions/runners'),
    `DELETE /api/v3/orgs/acme/actions/runners/${count}`,
  ]);
});

test('uses a permission of the App as soon as it is granted', async () => {
  const { signal } = new AbortController();
  const clock = new FakeClock();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const hosts = new HostRules({ githubUrl: target.webUrl, apiUrl: target.apiUrl });
  let permission = 'read';
  let issued = 0;
  /* A token is the permission that it has. */
  const call = async ({ what, url, token }: ServiceCall): Promise<HttpAnswer> => {
    const isIssued = url.pathname.endsWith('/access_tokens');
    if (isIssued) issued += 1;
    else if (token !== 'write') {
      const body = Buffer.from('{"message":"Resource not accessible by integration"}');
      throw refusalOfAnswer(what, { status: 403, headers: {}, body }, clock.now());
    }
    const value = isIssued ? { token: permission } : { runner: { id: 1 }, encoded_jit_config: 'config' };
    return { status: 201, headers: {}, body: Buffer.from(JSON.stringify(value)) };
  };
  const caller = { call } as unknown as ServiceCaller;
  const credential = () => Promise.resolve({ appId: '1', installationId: '2', privateKey: key });
  const tokens = new AppTokens({ credential, apiUrl: target.apiUrl, caller, hosts, clock });
  const runners = new Runners(new GithubApi(target, tokens, caller, hosts));
  const register = () => runners.register({ name: 'r-1', labels: ['linux'], runnerGroupId: 1 }, signal);
  for (let minute = 1; minute <= 3; minute++) {
    await expect(register()).rejects.toMatchObject({ reason: 'AccessDenied' });
    await expect(register()).rejects.toMatchObject({ reason: 'AccessDenied' });
    expect(issued).toBe(minute);
    await clock.advance(60_000);
  }
  permission = 'write';
  expect(await register()).toMatchObject({ runnerId: '1' });
});
