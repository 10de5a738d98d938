import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { run } from './support/program.js';
import { stackCommand } from './support/stack.js';
import { namespaces } from './support/test-cluster.js';

const timeoutMs = 300_000;

let folder: string;
let demo: { code: number | null; stdout: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-respond-'));
  demo = await run(process.execPath, stackCommand('--once', '--scenario', 'respond'), {
    env: { TMPDIR: folder },
    timeoutMs,
  });
}, timeoutMs);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Expects the output to contain these texts in this order. */
function expectInOrder(...texts: string[]): void {
  const positions = texts.map((text) => demo.stdout.indexOf(text));
  const missing = texts.filter((_, index) => positions[index] === -1);
  expect(missing).toEqual([]);
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
}

test('the scenario succeeds, and a restart makes no write', () => {
  expect(demo.stdout).not.toContain('PROBLEM');
  expect(demo.stdout).toContain('Every event has the expected response.');
  expect(demo.stdout).toContain('After a restart of the apps: 0 writes at the forge.');
  expect(demo.code).toBe(0);
});

test('a binding with too many permissions is removed by a pull request that a user merges', () => {
  expectInOrder(
    'response revoke-ci-admin to se-ci-admin: {"changes":"[{\\"op\\":\\"yaml.deleteDocument\\"}]"}',
    'revoke-ci-admin  Routed: to acme/deployments',
    'revoke-ci-admin  Planned: delete clusters/demo/rbac/ci-admin.yaml, modify clusters/demo/rbac/kustomization.yaml',
    'revoke-ci-admin  Submitted: http://',
    '**Why:** `ClusterAdminGranted` (severity `high`) was detected on ClusterRoleBinding `ci-admin`',
    '| -  - ci-admin.yaml',
    '|    - readers.yaml # every user may read',
    '✔ 0 acme/deployments (github-app) is selected',
    `to be found below clusters/demo/rbac, from which Kustomization ${namespaces.flux}/rbac is delivered`,
    'bob reviews and merges it',
    'revoke-ci-admin  Merged: http://',
    'flux: prunes ClusterRoleBinding ci-admin',
  );
});

test('a hostile subject is escaped, and a path outside the repository is refused', () => {
  expectInOrder(
    "on Pod `'@everyone' <img src=x onerror=alert(1)> [click](javascript:alert(1)) {{ .Secret }} # Approved`",
    'escape  Failed: InvalidParameters: path "../../etc/passwd"',
  );
});

test('a repeated event opens no pull request, and the response of another responder does not change', () => {
  expectInOrder(
    'revoke-ci-admin-2  Succeeded: NoActionNeeded',
    'freeze-ci is untouched',
    '✗ EventResponse freeze-ci: it is for the responder "team-b-responder"',
  );
  expect(demo.stdout.match(/^ {2}pull request \d+: /gm)).toHaveLength(2);
});
