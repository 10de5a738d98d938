import { describe, expect, test } from '@jest/globals';
import { HostRules } from './hosts.js';

const github = { githubUrl: 'https://github.com/acme', apiUrl: 'https://api.github.com' };
const tenant = { githubUrl: 'https://acme.ghe.com/acme', apiUrl: 'https://api.acme.ghe.com' };

describe('HostRules', () => {
  test.each([
    [github, 'https://broker.actions.githubusercontent.com/', true],
    [github, 'https://actions.githubusercontent.com/', false],
    [github, 'https://evilactions.githubusercontent.com/', false],
    [github, 'https://broker.actions.githubusercontent.com.evil.example/', false],
    [github, 'http://broker.actions.githubusercontent.com/', false],
    [github, 'https://user@broker.actions.githubusercontent.com/', false],
    [github, 'https://github.com/', false],
    [
      { ...github, githubUrl: 'https://www.github.com/acme' },
      'https://broker.actions.githubusercontent.com/',
      true,
    ],
    [tenant, 'https://pipelines.acme.ghe.com/', true],
    [tenant, 'https://pipelines.other.ghe.com/', false],
    [
      { githubUrl: 'https://ghes.example/acme', apiUrl: 'https://ghes.example/api/v3' },
      'https://ghes.example/x',
      true,
    ],
    [{ ...github, allowedHosts: ['*.proxy.example'] }, 'https://a.proxy.example/', true],
    [{ ...github, allowHttp: true, allowedHosts: ['localhost'] }, 'http://localhost:1/', true],
    [github, 'not a URL', false],
  ])('with the options %j decides whether to permit a runner token for %s: %s', (options, url, isAllowed) => {
    expect(new HostRules(options).serviceProblem(url) === undefined).toBe(isAllowed);
  });

  test('keeps the token of the App for the API, and names the host and the option that it refuses', () => {
    const hosts = new HostRules(github);
    expect(hosts.checkApi('https://api.github.com/app').pathname).toBe('/app');
    expect(() => hosts.checkApi('https://broker.actions.githubusercontent.com/')).toThrow(
      'only for api.github.com',
    );
    expect(() => hosts.checkService('https://evil.example/')).toThrow(/evil\.example.*allowedHosts/);
  });
});
