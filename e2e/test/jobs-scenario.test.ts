import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { whyNoKubectl } from './support/kubectl.js';
import { Program, processesWith, run } from './support/program.js';
import { needsEmbedded } from './support/test-cluster.js';

const timeoutMs = 300_000;
const command = ['tools/stack/start.mjs', '--scenario', 'jobs'];
let folder: string;
let started: Program | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), 'interlock-e2e-jobs-'));
});
afterEach(async () => {
  await started?.destroy();
  started = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function expectNothingLeft(): Promise<void> {
  expect(await processesWith(folder)).toEqual([]);
  expect((await readdir(folder)).filter((name) => name.startsWith('interlock-'))).toEqual([]);
}

interface TableRow {
  name: string;
  times: number[];
  pod: string;
  retries: number;
  outcome: string;
}

/** Returns the rows of the table that the scenario prints. */
function tableOf(printed: string): TableRow[] {
  const lines = printed.split('\n');
  const title = lines.findIndex((line) => /^job +queued +started +ended +pod +retries +outcome$/.test(line));
  const end = lines.indexOf('', title);
  return lines.slice(title + 1, end).map((line) => {
    const [name = '', queued, begun, ended, pod = '', retries, outcome = ''] = line.split(/ +/);
    return { name, times: [queued, begun, ended].map(Number), pod, retries: Number(retries), outcome };
  });
}

/** Runs a printed command of the scenario in a shell. Returns its output. */
async function tryCommand(printed: string, pattern: RegExp): Promise<string> {
  const [line = ''] = pattern.exec(printed) ?? [];
  expect(line).not.toBe('');
  const exports = [...printed.matchAll(/^ {2}(export \w+=\S+)$/gm)].map(([, one]) => one);
  const { code, stdout, stderr } = await run('sh', ['-euc', [...exports, line].join('\n')], {
    env: { HOME: folder },
  });
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
  return stdout;
}

/** Returns a command that the scenario printed, with the id of a run. */
const withRun = (printed: string, runId: string): string => printed.replace('<id>', runId);

needsEmbedded('worker pods run a simulated image of the runner', () => {
  test(
    'npm start -- --scenario jobs --once runs each of 40 jobs once, through an eviction, a cancellation and a kill',
    async () => {
      const env = { TMPDIR: folder };
      const { code, stdout, stderr } = await run(process.execPath, [...command, '--once'], {
        env,
        timeoutMs,
      });
      expect({ code, stderr, problems: /^(PROBLEM|FAILED).*/m.exec(stdout)?.[0] }).toEqual({
        code: 0,
        stderr: '',
        problems: undefined,
      });
      const rows = tableOf(stdout);
      expect(rows).toHaveLength(40);
      for (const { name, times, pod, outcome } of rows) {
        expect({ name, outcome }).toEqual({ name, outcome: name === 'preview' ? 'cancelled' : 'success' });
        expect({ name, times }).toEqual({ name, times: times.toSorted((a, b) => a - b) });
        expect(pod).toMatch(/^runner-(linux|large)-/);
      }
      expect(new Set(rows.map(({ pod }) => pod)).size).toBe(40);
      expect(rows.find(({ name }) => name === 'integration')?.retries).toBeGreaterThan(0);
      expect(stdout).toMatch(/ s {2}evicts the pod runner-linux-\S+, in which integration runs\n/);
      expect(stdout).toMatch(/ s {2}sends SIGKILL to \S+, which leads linux\n/);
      expect(stdout).toMatch(/ s {2}linux is led by \S+, [\d.]+ s after the kill\n/);
      expect(stdout).toContain('; lost 0, run twice 0, cancelled by lock expiry 0.\n');
      await expectNothingLeft();
    },
    timeoutMs,
  );

  test(
    'npm start -- --scenario jobs prints commands that work, until Ctrl-C',
    async () => {
      const program = (started = Program.start(process.execPath, command, { env: { TMPDIR: folder } }));
      await program.says('Cancel it, with the runId from the response:');
      await program.says('which leads linux');
      const answer = await tryCommand(program.stdout, /^ {2}curl .*"jobName":"mine".*$/m);
      const { id, runId } = JSON.parse(answer) as { id: string; runId: string };
      await tryCommand(withRun(program.stdout, runId), /^ {2}curl .* \$SERVICE\/cancel$/m);
      await eventually(async () => {
        const jobs = await tryCommand(program.stdout, /^ {2}curl \$SERVICE\/jobs$/m);
        expect(JSON.parse(jobs)).toMatchObject({
          jobs: expect.arrayContaining([expect.objectContaining({ id, conclusion: 'cancelled' })]),
        });
      }, timeoutMs);
      expect(JSON.parse(await tryCommand(program.stdout, /^ {2}curl \$SERVICE\/verdict$/m))).toMatchObject({
        lost: 0,
      });
      if (whyNoKubectl === undefined) {
        const listed = await tryCommand(program.stdout, /^ {2}kubectl .* get runnergroups,pods$/m);
        expect(listed).toMatch(/runnergroup\S*\/linux +2 /);
        await tryCommand(program.stdout, /^ {2}kubectl .* describe runnergroup linux$/m);
        expect(await tryCommand(program.stdout, /^ {2}kubectl .* logs .*$/m)).toContain('"component":"agc"');
      }
      program.signalGroup('SIGINT');
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.stdout).toMatch(/\nStopped\.\n$/);
      await expectNothingLeft();
    },
    timeoutMs,
  );
});
