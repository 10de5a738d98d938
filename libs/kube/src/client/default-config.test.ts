import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { loadCredentials } from './credentials.js';

const before = { ...process.env };
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
  delete process.env['KUBECONFIG'];
  process.env['HOME'] = home;
});
afterEach(() => {
  Object.assign(process.env, before);
  rmSync(home, { recursive: true });
});

const load = () => loadCredentials(undefined, new FakeClock());

test('reads the token file that the kubeconfig in the home folder names', async () => {
  const config = {
    clusters: [{ name: 'one', cluster: { server: 'https://api.example.com' } }],
    users: [{ name: 'me', user: { tokenFile: 'token' } }],
    contexts: [{ name: 'here', context: { cluster: 'one', user: 'me' } }],
    'current-context': 'here',
  };
  mkdirSync(join(home, '.kube'));
  writeFileSync(join(home, '.kube', 'config'), JSON.stringify(config));
  writeFileSync(join(home, '.kube', 'token'), 'secret');
  expect((await load().current()).headers).toEqual({ authorization: 'Bearer secret' });
});

test.each([
  ['an empty home folder', () => undefined],
  ['no home folder, as for a user without an entry in /etc/passwd', () => delete process.env['HOME']],
])('refuses to guess a cluster with %s and without a service account', (_when, prepare) => {
  prepare();
  expect(load).toThrow(
    'there is no kubeconfig, and no service account token of a pod at /var/run/secrets/kubernetes.io/serviceaccount/token; ' +
      'set --kubeconfig or KUBECONFIG, or let the pod mount its token (automountServiceAccountToken)',
  );
});

describe('several files in KUBECONFIG', () => {
  const config = (name: string, server: string) => ({
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: { token: `token of ${server}` } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });

  function listFiles(...contents: (object | undefined)[]): void {
    const files = contents.map((content, index) => {
      const file = join(home, String(index));
      if (content !== undefined) writeFileSync(file, JSON.stringify(content));
      return file;
    });
    process.env['KUBECONFIG'] = files.join(delimiter);
  }

  const first = config('one', 'https://first.example.com');

  test.each([
    ['the current context of the first file', [first, config('two', 'https://second.example.com')]],
    ['the first of several definitions of a name', [first, config('one', 'https://second.example.com')]],
    ['the files that exist', [undefined, first, undefined]],
    ['the first file that sets a current context', [{ users: [] }, first]],
  ])('uses %s, like kubectl', async (_what, contents) => {
    listFiles(...contents);
    const { server, current } = load();
    expect(server.host).toBe('first.example.com');
    expect((await current()).headers).toEqual({ authorization: 'Bearer token of https://first.example.com' });
  });

  test('does not use the token file of a user whom an earlier file defines', async () => {
    writeFileSync(join(home, 'token'), 'token of another cluster');
    const user = { name: 'one', user: { tokenFile: join(home, 'token') } };
    listFiles(first, { users: [user] });
    const { current } = load();
    expect((await current()).headers).toEqual({ authorization: 'Bearer token of https://first.example.com' });
  });

  test.each(['', '# nothing yet\n'])('reads a file with the text %j as empty, like kubectl', (text) => {
    listFiles({}, first);
    writeFileSync(join(home, '0'), text);
    expect(load().server.host).toBe('first.example.com');
  });

  test('names the first file if none exists', () => {
    listFiles(undefined, undefined);
    expect(load).toThrow(
      `the kubeconfig cannot be read: ENOENT: no such file or directory, open '${join(home, '0')}'`,
    );
  });
});
