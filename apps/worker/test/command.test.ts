import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { workerCommand, workerExitCodes } from '@interlock/api/worker-contract';

const root = mkdtempSync(join(tmpdir(), 'worker command-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Runs the command of the container in a runner's root folder with these builds of Node.js, which print what they are. */
function run(builds: Record<string, number>): { status: number | null; output: string } {
  const home = mkdtempSync(join(root, 'home-'));
  for (const [name, mode] of Object.entries(builds)) {
    mkdirSync(join(home, 'externals', name, 'bin'), { recursive: true });
    writeFileSync(join(home, 'externals', name, 'bin/node'), `#!/bin/sh\necho ${name} "$@"\n`, { mode });
  }
  const [shell = '', ...args] = workerCommand;
  const { status, stdout, stderr } = spawnSync(shell, args, {
    env: { RUNNER_HOME_DIR: home },
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('the command of the container', () => {
  it.each([
    ['node20', { node16: 0o755, node20: 0o755, node20_alpine: 0o755, node24: 0o755 }],
    ['node24', { node20_alpine: 0o755, node24: 0o755, node24_alpine: 0o755 }],
    ['node24', { node20: 0o644, node24: 0o755 }],
  ])('runs the program by %s if the image has %j', (name, builds) => {
    expect(run(builds)).toEqual({ status: 0, output: `${name} /opt/interlock/worker/worker.mjs\n` });
  });

  it('ends with one line if the image has no runner', () => {
    const { status, output } = run({});
    expect(status).toBe(workerExitCodes.misconfigured);
    expect(output).toMatch(/^interlock-worker: no executable [^\n]*node; use an image with [^\n]+\n$/);
  });
});
