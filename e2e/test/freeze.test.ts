import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { run } from './support/program.js';
import { stackCommand } from './support/stack.js';
import { isEmbedded, namespaces } from './support/test-cluster.js';

const timeoutMs = 300_000;

let folder: string;
let demo: { code: number | null; stdout: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-freeze-'));
  demo = await run(process.execPath, stackCommand('--once', '--scenario', 'freeze'), {
    env: { TMPDIR: folder },
    timeoutMs,
  });
}, timeoutMs);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns the position of each text in the output. */
function positions(...texts: string[]): number[] {
  return texts.map((text) => demo.stdout.indexOf(text));
}

test('the scenario succeeds, and a restart makes no write', () => {
  expect(demo.stdout).not.toContain('PROBLEM');
  expect(demo.stdout).toContain('Every environment runs the newest dry commit.');
  expect(demo.stdout).toContain('After a restart of the apps: 0 writes at the forge.');
  expect(demo.code).toBe(0);
});

test('a change waits before prod until an override lets it through', () => {
  const merged = demo.stdout.lastIndexOf('environments/prod  merged by');
  const found = positions(
    '(in the freeze)',
    'gate: prod-deployment-freeze is in_progress: change-freeze is closed',
    '(GateOverride/cake-is-urgent)',
  );
  expect(found.every((position) => position >= 0)).toBe(true);
  expect([...found, merged]).toEqual([...found, merged].sort((a, b) => a - b));
});

test('flux gate open and close let one revision through, and the log records the user', () => {
  const found = positions(
    'stays at main@sha1:aaaaaaa',
    '$ flux gate open bypass-signoff "Patching a CVE: Signed off by Bob the builder"',
    'takes main@sha1:bbbbbbb',
    '$ flux gate close bypass-signoff',
    'stays at main@sha1:bbbbbbb',
  );
  expect(found.every((position) => position >= 0)).toBe(true);
  expect(found).toEqual([...found].sort((a, b) => a - b));
  const [, text = '{}'] = /^ {2}log: (.*)$/m.exec(demo.stdout) ?? [];
  expect(JSON.parse(text)).toMatchObject({
    msg: "opening gate: 'Patching a CVE: Signed off by Bob the builder'",
    closed: false,
    controllerKind: 'Gate',
    Gate: { namespace: namespaces.flux, name: 'bypass-signoff' },
    actor: isEmbedded ? 'kubernetes-admin' : expect.stringMatching(/./),
    targets: [{ kind: 'GitRepository', name: 'flux-system', revision: `main@sha1:${'a'.repeat(40)}` }],
  });
});
