import { describe, expect, test } from '@jest/globals';
import { credentialId, readAccount } from './account.js';

const provider = { kind: 'ScmProvider', namespace: 'team', name: 'acme' };
const read = (section: unknown, secret: Record<string, string> = { token: 'ghp_1' }) =>
  readAccount({ provider, section, secret });

describe('readAccount', () => {
  test.each([
    [{}, 'https://github.com', 'https://api.github.com'],
    [{ domain: 'github.com' }, 'https://github.com', 'https://api.github.com'],
    [{ domain: 'acme.ghe.com' }, 'https://acme.ghe.com', 'https://api.acme.ghe.com'],
  ])('returns the addresses of GitHub for %j', (section, webUrl, apiUrl) => {
    expect(read(section)).toMatchObject({ webUrl, apiUrl });
  });

  test.each([
    ['git.example.com', 'https://git.example.com'],
    ['git.example.com:8443', 'https://git.example.com:8443'],
    ['http://127.0.0.1:1234', 'http://127.0.0.1:1234'],
  ])('returns the addresses of a GitHub Enterprise Server at %s', (domain, webUrl) => {
    expect(read({ domain })).toMatchObject({ webUrl, apiUrl: `${webUrl}/api/v3` });
  });

  test.each(['', 'a/b', 'user@host', 'https://user:pw@host', 'host?x', 'ftp://host', 'a b', 'https://'])(
    'refuses the domain %j, naming the field',
    (domain) => {
      expect(() => read({ domain })).toThrow(/spec\.github\.domain/);
      expect(() => read({ domain })).toThrow(expect.objectContaining({ type: 'Invalid' }));
    },
  );

  test.each([
    ['appID', 'seven'],
    ['appID', 0],
    ['appID', 1.5],
    ['installationID', -1],
  ])('refuses %s = %j, naming the field', (field, value) => {
    expect(() => read({ [field]: value })).toThrow(`spec.github.${field}`);
  });

  test('uses the App if its id is set, and the token otherwise', () => {
    const secret = { token: ' ghp_1\n', githubAppPrivateKey: 'PEM' };
    expect(read({}, secret).credential).toEqual({ kind: 'token', token: 'ghp_1' });
    expect(read({ appID: 7, installationID: 8 }, secret).credential).toEqual({
      kind: 'app',
      appId: 7,
      installationId: 8,
      privateKey: 'PEM',
      secretKey: 'githubAppPrivateKey',
    });
  });

  test('names the key that the Secret lacks, and why it is needed', () => {
    expect(() => read({ appID: 7 }, {})).toThrow(/lacks the key githubAppPrivateKey.*appID is set/);
    expect(() => read({}, {})).toThrow(/lacks the key token.*appID is not set/);
    expect(() => read({}, { githubAppPrivateKey: 'PEM' })).toThrow(/lacks the key token.*appID is missing/);
  });

  test('does not quote an invalid token', () => {
    let message = '';
    try {
      read({}, { token: 'canary\nx-evil: 1' });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('contains characters');
    expect(message).not.toContain('canary');
  });
});

describe('credentialId', () => {
  const id = (section: unknown, secret: Record<string, string>) => credentialId(read(section, secret));

  test('returns the same id for one credential, and different ids for another key, host or App', () => {
    const app = { appID: 7, installationID: 8 };
    const ids = [
      id(app, { githubAppPrivateKey: 'one' }),
      id(app, { githubAppPrivateKey: 'two' }),
      id({ ...app, appID: 9 }, { githubAppPrivateKey: 'one' }),
      id({ ...app, domain: 'git.example.com' }, { githubAppPrivateKey: 'one' }),
      id({}, { token: 'one' }),
      id({}, { token: 'two' }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(id(app, { githubAppPrivateKey: 'one' })).toBe(ids[0]);
    expect(ids.join()).not.toContain('one');
  });
});
