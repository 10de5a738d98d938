import { afterEach, describe, expect, test } from '@jest/globals';
import { MockAgent } from 'undici';
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
  test('takes the plugin whose section is there', () => {
    expect(registry().forProvider({ secretRef: { name: 's' }, github: {} }).name).toBe('github');
  });

  test.each([[{}], [{ secretRef: { name: 's' } }], [{ gitlab: {} }], [{ github: undefined }]])(
    'refuses %j, naming what may be set',
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

describe('repository', () => {
  test('gives the repository of the section', () => {
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
  test('are one dispatcher for each host, however often an account is connected, and are closed with the registry', async () => {
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
});
