import { FakeClock } from '@interlock/base/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
