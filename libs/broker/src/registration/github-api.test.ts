import { expect, test } from '@jest/globals';
import type { HttpAnswer } from '../http/exchange.js';
import type { ServiceCall } from '../governor/pending-call.js';
import type { ServiceCaller } from '../governor/service-caller.js';
import { HostRules } from '../hosts.js';
import type { AppTokens } from './app-tokens.js';
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
