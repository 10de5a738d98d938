import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createScmRegistry } from '../registry.js';
import type { ScmPlugin } from '../scm.js';
import { loadScmPlugins } from './load.js';

let folder = '';
let modules = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scm-plugins-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(text: string): Promise<string> {
  const name = `./plugin-${++modules}.mjs`;
  await writeFile(join(folder, name), text);
  return name;
}

/** @param fields fields that replace the fields of a valid plugin. */
function moduleOf(fields = ''): string {
  return `export const plugin = {
    apiVersion: 2,
    name: 'mine',
    origins: ({ at }, { originOf }) => [originOf(at, 'spec.plugin.config.at')],
    connect: ({ section }, { toolkit }) => ({
      repository: (ref) => ({ fullName: \`\${section.at}/\${ref.section.name}\`, cloneUrl: \`https://\${section.at}/web.git\`, typed: toolkit.isTyped }),
    }),
    ${fields}
  };`;
}

async function load(text: string): Promise<ScmPlugin> {
  const [plugin] = await loadScmPlugins([await write(text)], folder);
  if (plugin === undefined) throw new Error('nothing was loaded');
  return plugin;
}

describe('a plugin', () => {
  const provider = {
    kind: 'ScmProvider',
    metadata: { name: 'p', namespace: 'n' },
    spec: { plugin: { name: 'mine', config: { at: 'there' } } },
  };
  const repository = (name: string) => ({
    metadata: { name: 'r', namespace: 'n' },
    spec: { plugin: { name, config: { name: 'web' } } },
  });

  test('is selected by its name, and receives its config', async () => {
    const external = [await load(moduleOf())];
    const registry = createScmRegistry({ plugins: [], external });
    expect(registry.forProvider(provider.spec).name).toBe('mine');
    expect(registry.repository(provider, {}, repository('mine')).fullName).toBe('there/web');
    expect(() => registry.repository(provider, {}, repository('other'))).toThrow(
      /spec\.plugin with name mine is missing/,
    );
    await registry.close();
  });

  test('that is not loaded is named in the error, with the loaded plugins', async () => {
    const external = [await load(moduleOf())];
    const registry = createScmRegistry({ plugins: [], external });
    expect(() => registry.forProvider({ plugin: { name: 'theirs' } })).toThrow(
      /spec\.plugin\.name: no plugin "theirs" is loaded \(loaded: mine\); start the process with --scm-plugin/,
    );
    await registry.close();
  });

  test('may be given by an absolute path', async () => {
    const path = join(folder, await write(moduleOf()));
    expect(await loadScmPlugins([path], '/')).toMatchObject([{ name: 'mine' }]);
  });

  test('cannot have the name of another plugin', async () => {
    const external = [await load(moduleOf()), await load(moduleOf())];
    expect(() => createScmRegistry({ plugins: [], external })).toThrow(/two SCM plugins have the name mine/);
  });
});

describe('a module that is not a plugin', () => {
  test.each([
    ['export const other = 1;', /does not export an object `plugin`; write `export const plugin/],
    [moduleOf('apiVersion: 1,'), /plugin\.apiVersion is 1; this program supports 2/],
    [moduleOf('apiVersion: undefined,'), /plugin\.apiVersion is undefined/],
    [moduleOf("name: 'My Forge',"), /plugin\.name must be lower-case/],
    [moduleOf('origins: undefined,'), /plugin\.origins must be a function that returns the servers/],
    [moduleOf('connect: 1,'), /plugin\.connect must be a function/],
    [moduleOf('webhook: { verify() {}, parse() {} },'), /plugin\.webhook\.concerns must be a function/],
    ["throw new Error('no luck');", /cannot be loaded as an ECMAScript module: no luck/],
  ])('is refused with the reason: %#', async (text, message) => {
    const module = await write(text);
    await expect(loadScmPlugins([module], folder)).rejects.toMatchObject({
      type: 'Invalid',
      reason: 'ScmPluginInvalid',
      message: expect.stringMatching(message),
    });
    await expect(loadScmPlugins([module], folder)).rejects.toThrow(`--scm-plugin ${module}: `);
  });

  test('is refused when its file does not exist', async () => {
    await expect(loadScmPlugins(['./absent.mjs'], folder)).rejects.toThrow(
      /--scm-plugin \.\/absent\.mjs: cannot be/,
    );
  });
});

describe('the webhook of a plugin', () => {
  const body = Buffer.from('{}');

  test('is never called with an empty secret', async () => {
    const { webhook } = await load(
      moduleOf(
        'webhook: { verify: () => true, parse: () => { throw new Error("odd"); }, concerns: () => true },',
      ),
    );
    expect(webhook.verify({}, body, '')).toBe(false);
    expect(webhook.verify({}, body, 'secret')).toBe(true);
    expect(() => webhook.parse({}, body)).toThrow(
      expect.objectContaining({ type: 'Invalid', message: 'odd' }),
    );
  });

  test('concerns no repository whose settings the plugin cannot read', async () => {
    const { webhook } = await load(
      moduleOf(
        'webhook: { verify: () => true, parse: () => ({}), concerns: (event, { path }) => path.endsWith("web") },',
      ),
    );
    const event = { kind: 'push' as const, delivery: undefined, repository: undefined, refs: [] };
    const concerned = (section: object) => webhook.concerns(event, section);
    expect([{ path: 'acme/web' }, { path: 'acme/x' }, {}, { path: 7 }].map(concerned)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('that is omitted accepts nothing', async () => {
    const { webhook } = await load(moduleOf());
    expect(webhook.verify({}, body, 'secret')).toBe(false);
  });
});
