import { describe, expect, test } from '@jest/globals';
import { goesAsGit, isHopeless, missesAfter, type Miss } from './direct.js';

const https = 'https://git.example.com/acme/web.git';
const http = 'http://git.example.com/acme/web.git';
const proxy = 'http://proxy.example.com:3128';

describe('a direct request', () => {
  test.each<[string, Record<string, string>]>([
    [https, {}],
    [http, {}],
    [https, { PATH: '/bin', GIT_SSH_COMMAND: 'ssh', NODE_EXTRA_CA_CERTS: '/ca.pem', SSL_CERT_FILE: '' }],
    [http, { SSL_CERT_FILE: '/ca.pem' }],
    [https, { HTTPS_PROXY: proxy }],
    [https, { https_proxy: proxy, HTTP_PROXY: proxy, NO_PROXY: 'localhost,.example.org' }],
    [http, { http_proxy: proxy }],
    [http, { HTTPS_PROXY: proxy }],
    [https, { NO_PROXY: '10.0.0.0/8' }],
  ])('is equivalent to git for %s with %j', (url, environment) => {
    expect(goesAsGit(url, environment)).toBe(true);
  });

  test.each<[string, Record<string, string>]>([
    ['ssh://git@git.example.com/acme/web.git', {}],
    ['file:///srv/git/web.git', {}],
    [`${https}?a=b`, {}],
    [`${https}#a`, {}],
    [https, { GIT_SSL_CAINFO: '/ca.pem' }],
    [https, { GIT_SSL_NO_VERIFY: '1' }],
    [https, { SSL_CERT_FILE: '/ca.pem' }],
    [https, { SSL_CERT_DIR: '/certs' }],
    [https, { CURL_CA_BUNDLE: '/ca.pem' }],
    [https, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
    [https, { ALL_PROXY: proxy }],
    [http, { all_proxy: proxy }],
    [http, { HTTP_PROXY: proxy }],
    [https, { http_proxy: proxy }],
    [https, { HTTPS_PROXY: 'socks5://proxy.example.com' }],
    [https, { HTTPS_PROXY: 'proxy.example.com:3128' }],
    [https, { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }],
    [https, { HTTPS_PROXY: proxy, no_proxy: '*.example.com' }],
  ])('is not equivalent to git for %s with %j', (url, environment) => {
    expect(goesAsGit(url, environment)).toBe(false);
  });
});

test.each<[(Miss | undefined)[], boolean]>([
  [[], false],
  [['now', 'now'], false],
  [['now', 'now', 'now'], true],
  [['now', 'now', undefined, 'now', 'now'], false],
  [['never'], true],
  [['never', 'now'], true],
])('stops direct requests to a remote after the failures %j: %s', (past, expected) => {
  expect(isHopeless(past.reduce<number>(missesAfter, 0))).toBe(expected);
});
