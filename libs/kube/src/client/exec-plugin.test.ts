import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCredentials } from './credentials.js';

let folder: string;
let clock: FakeClock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugin-'));
  clock = new FakeClock(Date.now());
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes the plugin return this text from now on. */
const answer = (text: string) => writeFileSync(join(folder, 'answer'), text);
const issue = (status: object) => answer(JSON.stringify({ kind: 'ExecCredential', status }));

/** Loads the credentials of a user whose plugin prints the answer. */
function load(user: object = {}) {
  const program = `console.log(require('node:fs').readFileSync(process.env.ANSWER, 'utf8'))`;
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', program],
    env: [{ name: 'ANSWER', value: join(folder, 'answer') }],
  };
  return loadCredentials(configOf({ exec, ...user }), clock);
}

function configOf(user: object): object {
  return {
    clusters: [{ name: 'c', cluster: { server: 'https://api.example.com' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
}

test('a credential of a plugin is kept until it expires', async () => {
  issue({ token: 'first', expirationTimestamp: new Date(clock.now() + 60_000).toISOString() });
  const source = load();
  expect((await source.current()).headers).toEqual({ authorization: 'Bearer first' });
  issue({ token: 'second' });
  await clock.advance(59_000);
  expect((await source.current()).headers).toEqual({ authorization: 'Bearer first' });
  await clock.advance(11_000);
  expect((await source.current()).headers).toEqual({ authorization: 'Bearer second' });
});

test('a credential without a time is kept until the server refuses it', async () => {
  issue({ token: 'first' });
  const source = load();
  await source.current();
  issue({ token: 'second' });
  await clock.advance(3_600_000);
  const kept = await source.current();
  expect(kept.headers).toEqual({ authorization: 'Bearer first' });
  source.discard(kept);
  expect((await source.current()).headers).toEqual({ authorization: 'Bearer second' });
});

test('a token of the kubeconfig takes precedence over that of a plugin', async () => {
  issue({ token: 'plugin' });
  expect((await load({ token: 'own' }).current()).headers).toEqual({ authorization: 'Bearer own' });
});

test('a plugin receives the version that it has to return, and the cluster if it asks for it', async () => {
  const program = `console.log(JSON.stringify({ status: { token: process.env.KUBERNETES_EXEC_INFO } }))`;
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: process.execPath };
  const received = async (more: object): Promise<unknown> => {
    const { headers } = await load({ exec: { ...exec, args: ['-e', program], ...more } }).current();
    return JSON.parse(String(headers['authorization']).slice('Bearer '.length));
  };
  const { apiVersion } = exec;
  expect(await received({})).toEqual({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } });
  expect(await received({ provideClusterInfo: true })).toMatchObject({
    spec: { interactive: false, cluster: { server: 'https://api.example.com' } },
  });
});

test('a relative path of a plugin begins at the folder of the kubeconfig', async () => {
  const kubeconfig = join(folder, 'config');
  writeFileSync(join(folder, 'plugin'), '#!/bin/sh\necho \'{"status":{"token":"t"}}\'\n', { mode: 0o755 });
  writeFileSync(kubeconfig, JSON.stringify(configOf({ exec: { command: './plugin' } })));
  expect((await loadCredentials(kubeconfig, clock).current()).headers).toEqual({ authorization: 'Bearer t' });
});

test('a plugin that requires a terminal is refused', async () => {
  const exec = { command: process.execPath, interactiveMode: 'Always' };
  await expect(load({ exec }).current()).rejects.toThrow('requires a terminal (interactiveMode: Always)');
});

test.each([
  ['{}', 'the plugin returned neither a token nor a certificate with its key'],
  ['{"status":{"clientKeyData":"k"}}', 'the plugin returned neither a token nor a certificate with its key'],
  [
    '{"status":{"token":"t","expirationTimestamp":"soon"}}',
    'the plugin returned an invalid expirationTimestamp',
  ],
  ['secret', 'the credentials for the cluster cannot be obtained: the plugin did not return JSON'],
])('the answer %s of a plugin is refused', async (text, message) => {
  answer(text);
  await expect(load().current()).rejects.toThrow(message);
});

test.each([
  ['its output', process.execPath, 'console.error("locked"); process.exit(1)', /obtained: locked\n$/],
  ['its exit code', process.execPath, 'process.exit(3)', /obtained: the plugin ended with 3$/],
  [
    'its signal',
    process.execPath,
    'process.kill(process.pid, 9)',
    /obtained: the plugin ended with SIGKILL$/,
  ],
  ['that it does not exist', '/nowhere/plugin', '', /obtained: spawn \/nowhere\/plugin ENOENT$/],
])(
  'the reason of a plugin that fails is %s, without its arguments',
  async (_what, command, program, message) => {
    await expect(load({ exec: { command, args: ['-e', program] } }).current()).rejects.toThrow(message);
  },
);
