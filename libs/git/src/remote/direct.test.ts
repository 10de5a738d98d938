import { describe, expect, test } from '@jest/globals';
import { goesAsGit, isHopeless, missesAfter, type Miss } from './direct.js';

const HTTPS = 'https://git.example.com/acme/web.git';
const HTTP = 'http://git.example.com/acme/web.git';
const PROXY = 'http://proxy.example.com:3128';

describe('a request goes as by git', () => {
  test.each<[string, Record<string, string>]>([
    [HTTPS, {}],
    [HTTP, {}],
    [HTTPS, { PATH: '/bin', GIT_SSH_COMMAND: 'ssh', NODE_EXTRA_CA_CERTS: '/ca.pem', SSL_CERT_FILE: '' }],
    [HTTP, { SSL_CERT_FILE: '/ca.pem' }],
    [HTTPS, { HTTPS_PROXY: PROXY }],
    [HTTPS, { https_proxy: PROXY, HTTP_PROXY: PROXY, NO_PROXY: 'localhost,.example.org' }],
    [HTTP, { http_proxy: PROXY }],
    [HTTP, { HTTPS_PROXY: PROXY }],
    [HTTPS, { NO_PROXY: '10.0.0.0/8' }],
  ])('%s with %j', (url, environment) => {
    expect(goesAsGit(url, environment)).toBe(true);
  });

  test.each<[string, Record<string, string>]>([
    ['ssh://git@git.example.com/acme/web.git', {}],
    ['file:///srv/git/web.git', {}],
    [`${HTTPS}?a=b`, {}],
    [`${HTTPS}#a`, {}],
    [HTTPS, { GIT_SSL_CAINFO: '/ca.pem' }],
    [HTTPS, { GIT_SSL_NO_VERIFY: '1' }],
    [HTTPS, { SSL_CERT_FILE: '/ca.pem' }],
    [HTTPS, { SSL_CERT_DIR: '/certs' }],
    [HTTPS, { CURL_CA_BUNDLE: '/ca.pem' }],
    [HTTPS, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
    [HTTPS, { ALL_PROXY: PROXY }],
    [HTTP, { all_proxy: PROXY }],
    [HTTP, { HTTP_PROXY: PROXY }],
    [HTTPS, { http_proxy: PROXY }],
    [HTTPS, { HTTPS_PROXY: 'socks5://proxy.example.com' }],
    [HTTPS, { HTTPS_PROXY: 'proxy.example.com:3128' }],
    [HTTPS, { HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.0/8' }],
    [HTTPS, { HTTPS_PROXY: PROXY, no_proxy: '*.example.com' }],
  ])('not: %s with %j', (url, environment) => {
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
])('after %j a remote is hopeless: %s', (past, expected) => {
  expect(isHopeless(past.reduce<number>(missesAfter, 0))).toBe(expected);
});
