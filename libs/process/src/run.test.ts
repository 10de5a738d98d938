import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Launcher } from './launcher.js';
import { runBy, type ProgramResult, type ProgramRun } from './run.js';
import { isRunning, until } from './testing/processes.js';

const mebibyte = 1024 ** 2;
const environment = { PATH: process.env['PATH'] ?? '' };
const launcher = new Launcher();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'process-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(() => launcher.close());

function run(program: string, args: string[] = [], more: Partial<ProgramRun> = {}): Promise<ProgramResult> {
  const limits = { timeoutMs: 60_000, maxOutputBytes: 100 * mebibyte };
  return runBy(launcher, { program, args, environment, ...limits, ...more });
}

function shell(script: string, more: Partial<ProgramRun> = {}): Promise<ProgramResult> {
  return run('sh', ['-c', script], more);
}

describe('a program that ends', () => {
  test.each([
    ['exit 0', { code: 0, signal: undefined, stdout: '', stderr: '' }],
    ['echo out; echo err >&2; exit 7', { code: 7, signal: undefined, stdout: 'out\n', stderr: 'err\n' }],
    ['kill -TERM $$', { code: undefined, signal: 'SIGTERM', stdout: '', stderr: '' }],
    ['cat', { code: 0, signal: undefined, stdout: '', stderr: '' }],
    ['pwd', { code: 0, signal: undefined, stdout: '/\n', stderr: '' }],
  ])('returns its exit code or signal, and its output: %s', async (script, expected) => {
    const { stdout, ...rest } = await shell(script);
    expect({ ...rest, stdout: stdout.toString() }).toEqual(expected);
  });

  test('has the given arguments, folder and environment, and nothing from the environment of this process', async () => {
    const args = ['-c', 'pwd; printf "%s|" "$@"; /usr/bin/env', 'name', 'a b', '', '\u2028"\n\\', '\u00e9'];
    const { stdout } = await run('/bin/sh', args, { folder, environment: { A_B: '1\n2' } });
    const [place, ...lines] = stdout.toString().split('\n');
    expect(place).toBe(folder);
    const text = lines.join('\n');
    expect(text).toContain('a b||\u2028"\n\\|\u00e9|');
    expect(text).toContain('A_B=1\n2');
    expect(text).not.toContain('PATH=');
  });

  test('returns bytes unchanged', async () => {
    const input = Buffer.concat([
      Buffer.from(Array.from({ length: 256 }, (_, n) => n)),
      randomBytes(mebibyte),
    ]);
    expect((await run('cat', [], { input })).stdout.equals(input)).toBe(true);
  });

  test('reads an input that is larger than all buffers', async () => {
    const input = randomBytes(64 * mebibyte);
    const { stdout } = await run('sha256sum', [], { input });
    expect(stdout.toString()).toContain(createHash('sha256').update(input).digest('hex'));
  });

  test('may leave its input unread', async () => {
    expect(await shell('exit 3', { input: randomBytes(8 * mebibyte) })).toMatchObject({ code: 3 });
  });

  test('returns the end of its standard error', async () => {
    const { stderr } = await shell('head -c 300000 /dev/zero | tr "\\0" a >&2; printf end >&2');
    expect(stderr).toHaveLength(64 * 1024);
    expect(stderr.endsWith('aend')).toBe(true);
  });
});

describe('a program that cannot be started', () => {
  test.each([
    ['an unknown name', 'no-such-program', undefined, 'Permanent', 'ProgramMissing'],
    ['a path without a file', '/nonexistent/program', undefined, 'Permanent', 'ProgramMissing'],
    ['a folder that does not exist', 'true', '/nonexistent', 'NotFound', 'FolderMissing'],
    ['a file that is not executable', '/proc/self/status', undefined, 'Transient', 'ProcessNotStarted'],
    ['a name with a null character', 'a\0b', undefined, 'Transient', 'ProcessNotStarted'],
  ])('causes a typed error: %s', async (_case, program, where, type, reason) => {
    await expect(run(program, [], { folder: where })).rejects.toMatchObject({ type, reason });
  });

  test('is found once it exists', async () => {
    const path = join(folder, 'program');
    const inFolder = { environment: { PATH: `${folder}:/usr/bin:/bin` } };
    await expect(run('program', [], inFolder)).rejects.toMatchObject({ reason: 'ProgramMissing' });
    writeFileSync(path, '#!/bin/sh\necho here\n', { mode: 0o755 });
    expect((await run('program', [], inFolder)).stdout.toString()).toBe('here\n');
    rmSync(path);
    await expect(run('program', [], inFolder)).rejects.toMatchObject({ reason: 'ProgramMissing' });
  });
});

describe('a program that is stopped', () => {
  const waiting = (ready: string) => `touch "${ready}"; sleep 600 & echo $!; wait`;

  test('fails after its timeout, with its name', async () => {
    await expect(run('sleep', ['600'], { name: 'the nap', timeoutMs: 100 })).rejects.toMatchObject({
      type: 'Transient',
      reason: 'ProcessTimeout',
      message: 'the nap did not finish within 0.1 s',
    });
  });

  test('is killed when it ignores SIGTERM', async () => {
    const deaf = `trap "" TERM; echo $$ > "${folder}/pid"; while :; do sleep 1; done`;
    await expect(shell(deaf, { timeoutMs: 1_000 })).rejects.toMatchObject({ reason: 'ProcessTimeout' });
  });

  test('fails with the reason of the signal, before it starts and while it runs', async () => {
    await expect(run('true', [], { signal: AbortSignal.abort('early') })).rejects.toBe('early');
    const controller = new AbortController();
    const ready = join(folder, 'ready');
    const outcome = expect(shell(waiting(ready), { signal: controller.signal })).rejects.toBe('enough');
    await until(() => existsSync(ready));
    controller.abort('enough');
    await outcome;
  });

  test('fails when its output exceeds the bound', async () => {
    const endless = run('cat', ['/dev/zero'], { maxOutputBytes: mebibyte });
    await expect(endless).rejects.toMatchObject({ type: 'Invalid', reason: 'OutputTooLarge' });
  });

  test('ends its descendants too', async () => {
    const child = launcher.start({ program: 'sh', args: ['-c', waiting('/dev/null')], environment });
    const grandchild = Number(String((await child.stdout.iterator().next()).value));
    expect(isRunning(grandchild)).toBe(true);
    child.stop();
    await until(() => !isRunning(grandchild) && child.signalCode === 'SIGTERM');
  });
});
