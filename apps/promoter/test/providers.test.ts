import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClusterScmProvider, GitRepository, ScmProvider } from '@interlock/api';
import { ensureNamespace, startPlatform, type Platform } from '@interlock/stack';
import { parseAllDocuments } from 'yaml';

const namespace = 'team';
const secretRef = { name: 'secret' };
const scmProviderRef = { name: 'forge' };
let platform: Platform;
let names = 0;

beforeAll(async () => {
  platform = await startPlatform();
  await ensureNamespace(platform.client, namespace);
});
afterAll(() => platform.close());

function apply(kind: typeof ScmProvider | typeof GitRepository, spec: object): Promise<object> {
  const metadata = { name: `object-${++names}`, namespace };
  return platform.client.apply<ScmProvider | GitRepository>(
    kind,
    { metadata, spec },
    { fieldManager: 'test' },
  );
}

describe('the API server accepts a provider', () => {
  it.each([
    { secretRef, github: {} },
    { secretRef, gitlab: { domain: 'git.example.com' } },
    { secretRef, gitea: { domain: 'git.example.com' } },
    { secretRef, forgejo: { domain: 'http://127.0.0.1:3000' } },
    { local: { path: '/srv/git' } },
    { noop: {} },
    { secretRef, noop: {} },
    { secretRef, noop: { domain: 'git.example.com' } },
    { plugin: { name: 'my-forge', config: { any: { thing: [1] } } } },
  ])('of the form %j', async (spec) => {
    expect(await apply(ScmProvider, spec)).toMatchObject({ spec });
  });

  it('of the whole cluster without a Secret', async () => {
    const spec = { local: { path: '/srv/git' } };
    const made = await platform.client.apply(
      ClusterScmProvider,
      { metadata: { name: 'local' }, spec },
      { fieldManager: 'test' },
    );
    expect(made).toMatchObject({ spec });
  });
});

describe('the API server refuses a provider', () => {
  it.each([
    [{ secretRef }, 'exactly one provider must be set'],
    [{ secretRef, github: {}, noop: {} }, 'exactly one provider must be set'],
    [{ secretRef, gitea: { domain: 'a' }, forgejo: { domain: 'a' } }, 'exactly one provider must be set'],
    [{ github: {} }, 'secretRef must name the Secret'],
    [{ gitea: { domain: 'git.example.com' } }, 'secretRef must name the Secret'],
    [{ secretRef, gitea: {} }, 'domain'],
    [{ local: { path: 'srv/git' } }, 'path'],
    [{ local: {} }, 'path'],
    [{ plugin: { config: {} } }, 'name'],
    [{ plugin: { name: 'My Forge' } }, 'name'],
  ])('of the form %j', async (spec, message) => {
    await expect(apply(ScmProvider, spec)).rejects.toThrow(message);
  });
});

describe('the API server accepts a repository', () => {
  it.each([
    { github: { owner: 'acme', name: 'web' } },
    { github: { owner: 'acme', name: '.github' } },
    { gitea: { owner: 'acme', name: 'web' } },
    { forgejo: { owner: 'acme', name: 'web' } },
    { local: { name: 'acme/web.git' } },
    { noop: { url: 'https://git.example.com/acme/web.git' } },
    { plugin: { name: 'my-forge', config: { repository: 'acme/web' } } },
  ])('of the form %j', async (section) => {
    expect(await apply(GitRepository, { scmProviderRef, ...section })).toMatchObject({ spec: section });
  });
});

describe('the API server refuses a repository', () => {
  it.each([
    [{}, 'exactly one repository must be set'],
    [{ github: { owner: 'a', name: 'b' }, local: { name: 'b' } }, 'exactly one repository must be set'],
    [{ github: { owner: '..', name: 'web' } }, 'owner'],
    [{ gitea: { owner: 'acme', name: '.' } }, 'name'],
    [{ local: { name: '../other' } }, 'name'],
    [{ local: { name: '/etc' } }, 'name'],
    [{ local: { name: 'a/../b' } }, 'name'],
    [{ noop: { url: 'file:///srv/git' } }, 'url'],
    [{ noop: { url: 'https://me:secret@git.example.com/x' } }, 'url'],
  ])('of the form %j', async (section, message) => {
    await expect(apply(GitRepository, { scmProviderRef, ...section })).rejects.toThrow(message);
  });
});

describe('the manifests of docs/scm.md', () => {
  it.each(['Gitea and Forgejo', 'Local', 'Dry runs', 'External plugins'])(
    'are accepted: %s',
    async (title) => {
      const page = await readFile(new URL('../../../docs/scm.md', import.meta.url), 'utf8');
      const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
      const [, yaml = ''] = /^```yaml\n(.*?)^```/ms.exec(section) ?? [];
      const [provider, repository] = parseAllDocuments(yaml).map(
        (document) => document.toJS() as { spec: { scmProviderRef?: unknown } },
      );
      expect(await apply(ScmProvider, provider?.spec ?? {})).toMatchObject({ spec: provider?.spec });
      expect(await apply(GitRepository, repository?.spec ?? {})).toMatchObject({ spec: repository?.spec });
    },
  );
});
