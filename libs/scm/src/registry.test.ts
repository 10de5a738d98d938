import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { MockAgent } from 'undici';
import { builtInPlugins } from './built-in.js';
import { githubPlugin } from './github/plugin.js';
import { createScmRegistry, type ScmRegistry, type ScmRegistryOptions } from './registry.js';

const opened: ScmRegistry[] = [];
afterEach(async () => {
  for (const registry of opened.splice(0)) await registry.close();
});

function registry(options: Partial<ScmRegistryOptions> = {}): ScmRegistry {
  const made = createScmRegistry({ plugins: [githubPlugin()], ...options });
  opened.push(made);
  return made;
}

const provider = { kind: 'ScmProvider', metadata: { name: 'acme', namespace: 'team' }, spec: { github: {} } };
const repository = (spec: object) => ({ metadata: { name: 'web', namespace: 'team' }, spec });

describe('forProvider', () => {
  test('selects the plugin whose section is present', () => {
    expect(registry().forProvider({ secretRef: { name: 's' }, github: {} }).name).toBe('github');
  });

  test.each([[{}], [{ secretRef: { name: 's' } }], [{ gitlab: {} }], [{ github: undefined }]])(
    'refuses %j, naming the allowed fields',
    (spec) => {
      const invalid = { type: 'Invalid', message: expect.stringContaining('spec.github') };
      expect(() => registry().forProvider(spec)).toThrow(expect.objectContaining(invalid));
    },
  );

  test('refuses two sections, naming both', () => {
    const gitlab = { ...githubPlugin(), name: 'gitlab' };
    const both = registry({ plugins: [githubPlugin(), gitlab] });
    expect(both.forProvider({ gitlab: {} }).name).toBe('gitlab');
    expect(() => both.forProvider({ github: {}, gitlab: {} })).toThrow(/spec\.github and spec\.gitlab/);
  });
});

describe('remoteOf', () => {
  const all = () => registry({ plugins: builtInPlugins() });
  const github = (domain?: string) => ({ github: domain === undefined ? {} : { domain } });
  const web = { owner: 'acme', name: 'web' };
  const local = (path: string) => ({ local: { path } });
  const named = (name: string) => ({ local: { name } });
  const dryRun = (url: string) => ({ noop: { url } });

  test.each<[string, object, object, object, object]>([
    ['accounts', { ...github(), secretRef: { name: 'a' } }, { github: web }, github(), { github: web }],
    ['cases', github(), { github: web }, github(), { github: { owner: 'Acme', name: 'WEB' } }],
    [
      'spellings of a host',
      github('github.com'),
      { github: web },
      github('https://GitHub.com:443'),
      { github: web },
    ],
    ['schemes', github('git.test'), { github: web }, github('http://git.test'), { github: web }],
    [
      'hosts with a dot at the end',
      github('git.test'),
      { github: web },
      github('git.test.'),
      { github: web },
    ],
    [
      'API dialects',
      { gitea: { domain: 'git.test' } },
      { gitea: web },
      { forgejo: { domain: 'git.test' } },
      { forgejo: web },
    ],
    [
      'ids of a project',
      { gitlab: {} },
      { gitlab: { namespace: 'acme/platform', name: 'web', projectID: 7 } },
      { gitlab: { domain: 'gitlab.com' } },
      { gitlab: { namespace: 'acme/Platform', name: 'web' } },
    ],
    [
      'parent directories',
      local('/srv/team'),
      named('apps/web'),
      local('/srv/team/./apps/'),
      named('web.git'),
    ],
    [
      'spellings of the URL of a dry run',
      { noop: {} },
      dryRun('https://github.com/acme/web.git'),
      { noop: { domain: 'github.com' } },
      dryRun('https://github.com/Acme/web/'),
    ],
  ])('returns the same remote for all %s', (_what, provider, repository, otherProvider, otherRepository) => {
    const { remoteOf } = all();
    expect(remoteOf(provider, repository)).toEqual(expect.any(String));
    expect(remoteOf(otherProvider, otherRepository)).toBe(remoteOf(provider, repository));
  });

  test.each<[string, object, object, object, object]>([
    ['names', github(), { github: web }, github(), { github: { ...web, name: 'api' } }],
    ['owners', github(), { github: web }, github(), { github: { ...web, owner: 'other' } }],
    ['servers', github(), { github: web }, github('git.test'), { github: web }],
    ['ports', github('git.test'), { github: web }, github('git.test:8443'), { github: web }],
    ['directories', local('/srv/team'), named('web'), local('/srv/other'), named('web')],
    [
      'plugins, if one is a dry run',
      github(),
      { github: web },
      { noop: {} },
      dryRun('https://github.com/acme/web'),
    ],
  ])('returns another remote for other %s', (_what, provider, repository, otherProvider, otherRepository) => {
    const { remoteOf } = all();
    expect(remoteOf(otherProvider, otherRepository)).not.toBe(remoteOf(provider, repository));
  });

  test('compares the sections of a loaded plugin, and the servers that it names', () => {
    const plugin = { ...githubPlugin(), name: 'acme-scm' };
    const { remoteOf } = registry({ external: [plugin] });
    const provider = (domain: string, user: string) => ({
      plugin: { name: 'acme-scm', config: { domain, user } },
    });
    const repository = (path: string) => ({ plugin: { name: 'acme-scm', config: { path, depth: 1 } } });
    const known = remoteOf(provider('git.test', 'ann'), repository('acme/web'));
    expect(remoteOf(provider('git.test', 'bob'), repository('Acme/web'))).toBe(known);
    expect(remoteOf(provider('git.test', 'ann'), repository('acme/api'))).not.toBe(known);
    expect(remoteOf(provider('other.test', 'ann'), repository('acme/web'))).not.toBe(known);
  });

  test.each<[string, object, object]>([
    ['a provider without an SCM', {}, { github: web }],
    ['a provider of an SCM that is not supported', { svn: {} }, { svn: web }],
    ['a provider with a server that cannot be read', github('git.test/path'), { github: web }],
    ['a repository of another SCM', github(), { gitlab: web }],
  ])('returns undefined for %s', (_what, provider, repository) => {
    expect(all().remoteOf(provider, repository)).toBeUndefined();
  });
});

describe('repository', () => {
  test('returns the repository of the section', () => {
    const found = registry().repository(
      provider,
      { token: 't' },
      repository({ github: { owner: 'acme', name: 'web' } }),
    );
    expect(found.fullName).toBe('acme/web');
    expect(found.cloneUrl).toBe('https://github.com/acme/web.git');
    expect(found.webUrl({ commit: 'abc' })).toBe('https://github.com/acme/web/commit/abc');
    expect(found.webUrl({ pullRequest: 7 })).toBe('https://github.com/acme/web/pull/7');
  });

  test.each([
    [{}, 'spec.github is missing'],
    [{ github: { name: 'web' } }, 'spec.github.owner is missing'],
    [{ github: { owner: 'acme', name: '' } }, 'spec.github.name'],
    [{ github: { owner: '..', name: 'user' } }, 'spec.github.owner must be a name'],
    [{ github: { owner: 'acme', name: '.' } }, 'spec.github.name must be a name'],
    [{ github: 'acme/web' }, 'spec.github must be an object'],
  ])('refuses %j, naming the field', (spec, message) => {
    const invalid = { type: 'Invalid', message: expect.stringContaining(message) };
    expect(() => registry().repository(provider, { token: 't' }, repository(spec))).toThrow(
      expect.objectContaining(invalid),
    );
  });
});

describe('the connections', () => {
  test('share one dispatcher for each host, however often an account is connected, and are closed with the registry', async () => {
    const made: string[] = [];
    let closed = 0;
    const it = createScmRegistry({
      plugins: [githubPlugin()],
      dispatcher: (origin) => {
        made.push(origin);
        const agent = new MockAgent();
        agent.disableNetConnect();
        agent
          .get(origin)
          .intercept({ path: /.*/ })
          .reply(
            200,
            { default_branch: 'main', archived: true },
            { headers: { 'content-type': 'application/json' } },
          )
          .persist();
        const close = agent.close.bind(agent);
        agent.close = async () => {
          closed += 1;
          await close();
        };
        return agent;
      },
    });
    const web = repository({ github: { owner: 'acme', name: 'web' } });
    for (const token of ['one', 'one', 'two']) {
      expect(await it.repository(provider, { token }, web).describe()).toMatchObject({ archived: true });
    }
    const enterprise = { ...provider, spec: { github: { domain: 'git.example.com' } } };
    await it.repository(enterprise, { token: 'one' }, web).describe();
    expect(made).toEqual(['https://api.github.com', 'https://git.example.com']);
    await it.close();
    expect(closed).toBe(2);
  });

  test('fail when the proxy closes them', async () => {
    let connections = 0;
    const proxy = createServer((socket) => {
      connections += 1;
      socket.once('data', () => socket.end());
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    process.env['HTTPS_PROXY'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      const web = repository({ github: { owner: 'acme', name: 'web' } });
      const read = registry({ random: () => 0 }).repository(provider, { token: 't' }, web);
      await expect(read.describe()).rejects.toThrow('no answer (UND_ERR_SOCKET)');
      expect(connections).toBe(3);
    } finally {
      delete process.env['HTTPS_PROXY'];
      await new Promise((resolve) => proxy.close(resolve));
    }
  });

  test('wait for the tunnel of a proxy as long as a call may take', async () => {
    let ended = 0;
    const proxy = createServer((socket) => socket.resume().on('end', () => (ended += 1)));
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    process.env['HTTPS_PROXY'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      const web = repository({ github: { owner: 'acme', name: 'web' } });
      const read = registry({ timeoutMs: 1_000, random: () => 0 }).repository(provider, { token: 't' }, web);
      await expect(read.describe()).rejects.toThrow('no answer in time');
      /* The last of three calls has ended, and so has the tunnel of the first. */
      expect(ended).toBeGreaterThan(0);
    } finally {
      delete process.env['HTTPS_PROXY'];
      await new Promise((resolve) => proxy.close(resolve));
    }
  });
});
