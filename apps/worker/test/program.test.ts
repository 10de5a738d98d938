import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { maxWorkerProgramBytes, payloadChunkBytes, payloadChunkKey } from '@interlock/api/worker-contract';
import { parseWorkerReport, type WorkerReport } from '@interlock/api/worker-report';
import { runnerImage } from '@interlock/runner-image';
import { canary, jobMessage } from './support/job-message.js';
import { buildProgram } from './support/program.js';
import { RunServer } from './support/run-server.js';

const root = mkdtempSync(join(tmpdir(), 'worker-program-'));
const program = join(root, 'worker.mjs');
const server = new RunServer();

beforeAll(async () => {
  writeFileSync(program, buildProgram());
  await server.start();
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});

/** A run of the program, with the folders that a pod gives it. */
interface Run {
  folder: string;
  child: ChildProcess;
  output: () => string;
  ended: Promise<{ code: number | null; report: WorkerReport | undefined }>;
}

function start(name: string, payload: string, env: Record<string, string> = {}, worker?: string): Run {
  const folder = join(root, name);
  mkdirSync(join(folder, 'payload'), { recursive: true });
  const bytes = Buffer.from(payload);
  for (let at = 0, index = 0; at < bytes.length; at += payloadChunkBytes, index++)
    writeFileSync(
      join(folder, 'payload', payloadChunkKey(index)),
      bytes.subarray(at, at + payloadChunkBytes),
    );
  writeFileSync(join(folder, 'message'), '');
  runnerImage({ folder: join(folder, 'home') });
  if (worker !== undefined) writeFileSync(join(folder, 'home/bin/Runner.Worker'), worker);
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      RUNNER_NAME: 'runner-1',
      RUNNER_HOME_DIR: join(folder, 'home'),
      PAYLOAD_SECRET_PATH: join(folder, 'payload'),
      TERMINATION_MESSAGE_PATH: join(folder, 'message'),
      TEST_MARK: folder,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    report: parseWorkerReport(readFileSync(join(folder, 'message'), 'utf8')),
  }));
  return { folder, child, output: () => output, ended };
}

/** Returns the arguments and the environment of each process that a run has started. */
function processesOf({ folder }: Run): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ['cmdline', 'environ'].map((file) => readText(`/proc/${pid}/${file}`)).join('\0'))
    .filter((text) => text.includes(`TEST_MARK=${folder}`));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

describe('the program', () => {
  it('is small enough for a ConfigMap', () => {
    expect(readFileSync(program).length).toBeLessThan(maxWorkerProgramBytes);
  });

  it('runs a job to its end, and reports the result', async () => {
    const run = start('done', jobMessage('done', server.url, { 'interlock.test.durationMs': '1' }));
    expect(await run.ended).toEqual({
      code: 0,
      report: { jobSent: true, exitCode: 100, result: 'succeeded' },
    });
    const complete = await server.call('/run/completejob', 'done');
    expect(complete).toMatchObject({
      authorization: `Bearer ${canary}`,
      body: { planId: 'plan-done', conclusion: 'succeeded' },
    });
    expect(run.output()).toContain("Runner name: 'runner-1'");
    expect(run.output()).not.toContain('interlock-worker:');
  });

  it('cancels its job on SIGTERM, and shows no part of the payload to other processes', async () => {
    const run = start('stop', jobMessage('stop', server.url, { 'interlock.test.durationMs': '60000' }));
    await server.call('/results/started', 'stop');
    const processes = processesOf(run);
    expect(processes.length).toBe(2);
    expect(processes.join('\n')).toContain('spawnclient\u00003\u00004');
    expect(processes.join('\n')).not.toContain(canary);
    run.child.kill('SIGTERM');
    expect(await run.ended).toEqual({
      code: 103,
      report: { jobSent: true, exitCode: 103, result: 'canceled' },
    });
    expect((await server.call('/run/completejob', 'stop')).body['conclusion']).toBe('canceled');
    expect(run.output()).toContain('The operation was canceled (frame 2)');
    expect(run.output()).not.toContain(canary);
    expect(processesOf(run)).toEqual([]);
  });

  it('accepts a payload of 10 MB in chunks', async () => {
    const message = jobMessage(
      'large',
      server.url,
      { 'interlock.test.durationMs': '1' },
      '🚄é'.repeat(1_700_000),
    );
    const run = start('large', message);
    expect((await run.ended).report).toMatchObject({ result: 'succeeded' });
    expect(readdirSync(join(run.folder, 'payload')).length).toBe(13);
  });

  it('passes on the exit code of a runner that crashes before it reads the job', async () => {
    const run = start('crash', jobMessage('crash', server.url), { INTERLOCK_RUNNER_FAULT: 'crashBeforeJob' });
    expect((await run.ended).code).toBe(134);
    expect(run.output()).toContain('interlock-worker: ');
  });

  it('reports that the runner closed its pipe before it read the whole job', async () => {
    const worker = '#!/bin/sh\nexec 3<&-\nexec sleep 0\n';
    const run = start('closed', jobMessage('closed', server.url, {}, 'x'.repeat(2_000_000)), {}, worker);
    const { code, report } = await run.ended;
    expect(code).toBe(1);
    expect(report).toMatchObject({ jobSent: false, exitCode: 0 });
    expect(run.output()).toMatch(/^interlock-worker: the runner has closed its pipe \(E[A-Z_]+\)\n$/);
  });

  it('leaves no process of the job behind', async () => {
    const worker = '#!/bin/sh\nsleep 300 &\nexit 102\n';
    const run = start('orphan', jobMessage('orphan', server.url), {}, worker);
    expect((await run.ended).code).toBe(102);
    expect(processesOf(run)).toEqual([]);
  });

  it('ends with one line and code 78 if there is no runner', async () => {
    const run = start('none', jobMessage('none', server.url), { RUNNER_HOME_DIR: '/none' });
    expect(await run.ended).toMatchObject({ code: 78, report: { jobSent: false } });
    expect(run.output()).toMatch(/^interlock-worker: cannot write \/none\/\.runner \(ENOENT\); [^\n]+\n$/);
  });
});
