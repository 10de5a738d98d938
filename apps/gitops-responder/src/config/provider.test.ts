import type { ResponseProvider } from '@interlock/api';
import { builtInPlugins, createScmRegistry } from '@interlock/scm';
import { describe, expect, it } from '@jest/globals';
import { accessOf, secretNameOf, webhookSecretOf, type SecretData } from './provider.js';

const owner = { name: 'default', namespace: 'ugallu-system' };
const common = { repository: 'org/repo', baseBranch: 'main' };
const app: ResponseProvider = { kind: 'github-app', ...common, appCredentialsRef: { name: 'app' } };
const key = { 'private-key.pem': 'pem' };
const token = { name: 'token' };

describe('accessOf', () => {
  it.each<[string, ResponseProvider, SecretData, object, object, object]>([
    [
      'a GitHub App by its id',
      { ...app, installationID: 7 },
      { 'app-id': ' 42\n', 'installation-id': '8', ...key },
      { github: { appID: 42, installationID: 7 } },
      { githubAppPrivateKey: 'pem' },
      { github: { owner: 'org', name: 'repo' } },
    ],
    [
      'a GitHub App by its client id, with the installation of the Secret',
      { ...app, host: 'ghe.example.com' },
      { 'client-id': 'Iv1.x', 'installation-id': '8', githubAppPrivateKey: 'pem' },
      { github: { domain: 'ghe.example.com', clientID: 'Iv1.x', installationID: 8 } },
      { githubAppPrivateKey: 'pem' },
      { github: { owner: 'org', name: 'repo' } },
    ],
    [
      'a token for GitHub, under the key of the reference',
      { kind: 'github-pat', ...common, credentialsRef: token },
      { 'github-token': 't\n' },
      { github: {} },
      { token: 't' },
      { github: { owner: 'org', name: 'repo' } },
    ],
    [
      'GitLab, in a subgroup',
      { kind: 'gitlab', repository: 'org/team/repo', baseBranch: 'main', credentialsRef: token },
      { token: 't' },
      { gitlab: {} },
      { token: 't' },
      { gitlab: { namespace: 'org/team', name: 'repo' } },
    ],
    [
      'Gitea',
      { kind: 'gitea', ...common, host: 'git.example.com', credentialsRef: token },
      { token: 't' },
      { gitea: { domain: 'git.example.com' } },
      { token: 't' },
      { gitea: { owner: 'org', name: 'repo' } },
    ],
  ])('returns the access for %s', (_, provider, secret, spec, credential, repository) => {
    const access = accessOf(provider, secret, owner);
    expect(access.provider).toMatchObject({ kind: 'GitOpsResponderConfig', metadata: owner });
    expect(access.provider.spec).toEqual(spec);
    expect(access.secret).toEqual(credential);
    expect(access.repository).toEqual({ metadata: owner, spec: repository });
  });

  it.each<[ResponseProvider, SecretData, RegExp]>([
    [app, key, /appCredentialsRef: Secret app has no key app-id or client-id/],
    [app, { 'app-id': '42', 'private-key.pem': ' ' }, /Secret app has no key private-key.pem/],
    [
      { kind: 'gitlab', ...common, credentialsRef: token },
      {},
      /credentialsRef: Secret token has no key token/,
    ],
  ])('names the key that is missing: %j', (provider, secret, message) => {
    const access = () => accessOf(provider, secret, owner);
    expect(access).toThrow(message);
    expect(access).toThrow(expect.objectContaining({ type: 'Unauthorized', reason: 'SecretKeyMissing' }));
  });

  it.each<[ResponseProvider, SecretData, string]>([
    [app, { 'app-id': '42', 'private-key.pem': 'canary' }, 'key private-key.pem of'],
    [app, { 'app-id': '42', githubAppPrivateKey: 'canary' }, 'key githubAppPrivateKey of'],
    [
      { kind: 'github-pat', ...common, credentialsRef: token },
      { 'github-token': 'ca nary' },
      'key github-token ',
    ],
    [{ kind: 'gitlab', ...common, credentialsRef: token }, { GITHUB_TOKEN: 'ca nary' }, 'key GITHUB_TOKEN '],
    [
      { kind: 'gitea', ...common, host: 'git.example.com', credentialsRef: token },
      { token: 'ca nary' },
      'key token ',
    ],
  ])('names the key of the Secret whose value cannot be used: %j', async (provider, secret, message) => {
    const registry = createScmRegistry({ plugins: builtInPlugins() });
    const access = accessOf(provider, secret, owner);
    const use = async () => registry.connect(access.provider, access.secret).login();
    const error: unknown = await use().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ reason: 'InvalidSecret', message: expect.stringContaining(message) });
    expect(String(error)).not.toContain('nary');
    await registry.close();
  });

  it('refuses the kind noop, which does not access a repository', () => {
    expect(() => accessOf({ kind: 'noop', ...common }, {}, owner)).toThrow(
      'noop does not access a repository',
    );
  });
});

it('names the Secret that a kind uses', () => {
  expect(secretNameOf({ ...app, credentialsRef: token })).toBe('app');
  expect(secretNameOf({ kind: 'gitlab', ...common, appCredentialsRef: token, credentialsRef: token })).toBe(
    'token',
  );
  expect(secretNameOf({ kind: 'noop', ...common })).toBeUndefined();
});

it.each<[SecretData, string]>([
  [{ 'webhook-secret': 'a', webhookSecret: 'b' }, 'a'],
  [{ 'webhook-secret': ' ', webhookSecret: 'b\n' }, 'b'],
  [{ token: 't' }, ''],
  [{ webhookSecret: '' }, ''],
])('finds the secret of webhooks in %j', (secret, value) => {
  expect(webhookSecretOf(secret)).toBe(value);
});
