import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { workerCommand, workerExitCodes } from '@interlock/api/worker-contract';

const root = mkdtempSync(join(tmpdir(), 'worker command-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Creates a runner's root folder with these builds of Node.js, each of which is a script. */
function homeWith(builds: Record<string, number>, script?: string): string {
  const home = mkdtempSync(join(root, 'home-'));
  for (const [name, mode] of Object.entries(builds)) {
    mkdirSync(join(home, 'externals', name, 'bin'), { recursive: true });
    const text = `#!/bin/sh\n${script ?? `echo ${name} "$@"`}\n`;
    writeFileSync(join(home, 'externals', name, 'bin/node'), text, { mode });
  }
  return home;
}

/** Runs the command of the container in a runner's root folder, as the child of another shell: a program may signal its parent. */
function start(home: string): SpawnSyncReturns<string> {
  const args = ['-c', '"$@"; exit "$?"', 'parent', ...workerCommand];
  return spawnSync('/bin/sh', args, { env: { RUNNER_HOME_DIR: home }, encoding: 'utf8' });
}

/** Runs the command with builds of Node.js that print what they are. */
function run(builds: Record<string, number>): { status: number | null; output: string } {
  const { status, stdout, stderr } = start(homeWith(builds));
  return { status, output: stdout + stderr };
}

/** A program that has its parent send it two signals, and ends with the second one. */
const signalling = `
process.on('SIGTERM', (name) => { console.log(name); process.kill(process.ppid, 'SIGINT'); });
process.on('SIGINT', (name) => { console.log(name); process.exit(103); });
process.kill(process.ppid, 'SIGTERM');
setTimeout(() => process.exit(1), 10000);`;

describe('the command of the container', () => {
  it.each([
    ['node20', { node16: 0o755, node20: 0o755, node20_alpine: 0o755, node24: 0o755 }],
    ['node24', { node20_alpine: 0o755, node24: 0o755, node24_alpine: 0o755 }],
    ['node24', { node20: 0o644, node24: 0o755 }],
  ])('runs the program with %s if the image contains %j', (name, builds) => {
    expect(run(builds)).toEqual({ status: 0, output: `${name} /opt/interlock/worker/worker.mjs\n` });
  });

  it('keeps the shell, which reaps the orphans of a job, and passes signals on until the program ends', () => {
    const home = homeWith({ node20: 0o755 }, `exec '${process.execPath}' -e "${signalling}"`);
    const { status, stdout } = start(home);
    expect([status, stdout]).toEqual([103, 'SIGTERM\nSIGINT\n']);
  });

  it('ends with one line if the image has no runner', () => {
    const { status, output } = run({});
    expect(status).toBe(workerExitCodes.misconfigured);
    expect(output).toMatch(/^interlock-worker: no executable [^\n]*node; use an image with [^\n]+\n$/);
  });
});
