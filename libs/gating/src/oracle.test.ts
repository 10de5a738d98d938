import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import type { Comparison } from './testing/compare.js';

const timeoutMs = 600_000;
const root = fileURLToPath(new URL('../', import.meta.url));

let folder: string;
let program: string;

/** The number of schedules that each of two processes compares. `npm run test:long` compares 500 schedules. */
const schedulesEach = process.env['INTERLOCK_LONG_TESTS'] === '1' ? 250 : 40;

/* The long run checks about half a billion minutes. Node.js runs it directly, because jest's realm is several times
   slower. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gating-oracle-'));
  program = join(folder, 'compare.mjs');
  await build({
    entryPoints: [join(root, 'src/testing/compare-main.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function compare(...args: string[]): Promise<Comparison> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Comparison;
}

test(
  'agrees with a check of each minute of two years on every schedule and every next change',
  async () => {
    const results = await Promise.all(['1', '2'].map((seed) => compare(seed, String(schedulesEach))));
    expect(results.flatMap(({ disagreements }) => disagreements)).toEqual([]);
    expect(results.reduce((sum, { schedules }) => sum + schedules, 0)).toBe(2 * schedulesEach);
    expect(results.reduce((sum, { changes }) => sum + changes, 0)).toBeGreaterThan(4_000 * schedulesEach);
  },
  timeoutMs,
);

test(
  'detects a difference of one minute',
  async () => {
    const { disagreements } = await compare('1', '1', 'spoil');
    expect(disagreements).not.toEqual([]);
  },
  timeoutMs,
);
