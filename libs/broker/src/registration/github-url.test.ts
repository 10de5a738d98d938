import { describe, expect, test } from '@jest/globals';
import { isProblem } from '@interlock/base';
import { readAppCredential } from './app-credential.js';
import { parseGithubUrl } from './github-url.js';

const pem = '-----BEGIN RSA PRIVATE KEY-----\nAA==\n-----END RSA PRIVATE KEY-----\n';
const secret = { appId: '1', installationId: ' 2\n', privateKey: pem };

describe('parseGithubUrl', () => {
  test.each([
    ['https://github.com/acme', 'organization', '/orgs/acme', 'https://api.github.com'],
    ['https://www.github.com/acme', 'organization', '/orgs/acme', 'https://api.github.com'],
    ['https://github.com/acme/web/', 'repository', '/repos/acme/web', 'https://api.github.com'],
    ['https://github.com/enterprises/big', 'enterprise', '/enterprises/big', 'https://api.github.com'],
    ['https://acme.ghe.com/acme', 'organization', '/orgs/acme', 'https://api.acme.ghe.com'],
    ['https://ghes.example:8443/acme', 'organization', '/orgs/acme', 'https://ghes.example:8443/api/v3'],
  ])('reads %s as the %s %s', (url, kind, path, apiUrl) => {
    expect(parseGithubUrl(url)).toMatchObject({ kind, path, apiUrl, webUrl: url.replace(/\/$/, '') });
  });

  test('prefers the base of the API that is given', () => {
    expect(parseGithubUrl('https://github.com/acme', 'https://api.local/')).toMatchObject({
      apiUrl: 'https://api.local',
    });
  });

  test.each([
    'acme',
    'ftp://github.com/acme',
    'https://github.com/',
    'https://github.com/a/b/c',
    'https://user:pass@github.com/acme',
    'https://github.com/ac%2Fme',
    `https://github.com/${'a'.repeat(3_000)}`,
  ])('refuses what is not the URL of an organization, a repository or an enterprise: %#', (url) => {
    const target = parseGithubUrl(url);
    expect(isProblem(target) && target.reason).toBe('InvalidGitHubURL');
  });
});

describe('readAppCredential', () => {
  test.each(['RSA PRIVATE KEY', 'PRIVATE KEY'])('reads a Secret with a key of the form %s', (form) => {
    const privateKey = pem.replaceAll('RSA PRIVATE KEY', form).trim();
    const credential = readAppCredential({ ...secret, privateKey }, 'app');
    expect(credential).toEqual({ appId: '1', installationId: '2', privateKey });
  });

  test.each([
    ['appId', undefined],
    ['appId', 'Iv1.abc'],
    ['installationId', ''],
    ['installationId', '-1'],
    ['privateKey', undefined],
    ['privateKey', 'secret-text'],
    ['privateKey', pem.slice(0, -10)],
    ['privateKey', `${pem}${'A'.repeat(40_000)}`],
  ])('names the key %s that is missing or invalid, and quotes no value: %#', (key, value) => {
    const credential = readAppCredential({ ...secret, [key]: value }, 'app');
    if (!isProblem(credential)) throw new Error('the credential was accepted');
    expect(credential.reason).toBe('CredentialUnavailable');
    expect(credential.message).toContain(`key ${key} of the Secret app`);
    expect(credential.message).not.toContain('secret-text');
  });
});
