import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Launcher, type LauncherOptions } from './launcher.js';
import { runBy } from './run.js';
import type { SpawnedProcess } from './spawned-process.js';
import { isRunning, until } from './testing/processes.js';

const mebibyte = 1024 ** 2;
const environment = { PATH: process.env['PATH'] ?? '' };
const limits = { environment, timeoutMs: 60_000, maxOutputBytes: mebibyte };
let launcher: Launcher;

beforeEach(() => open());
afterEach(() => launcher.close());

function open(options: LauncherOptions = {}): void {
  launcher = new Launcher(options);
}

function start(program: string, ...args: string[]): SpawnedProcess {
  const child = launcher.start({ program, args, environment });
  child.on('error', () => undefined);
  return child;
}

async function echo(text: string): Promise<string> {
  const { stdout } = await runBy(launcher, { program: 'echo', args: ['-n', text], ...limits });
  return stdout.toString();
}

/** Returns a shell and a process that it waits for, both of which run. */
async function startFamily(): Promise<{ child: SpawnedProcess; pids: number[] }> {
  const child = start('sh', '-c', 'sleep 600 & echo $!; wait');
  const grandchild = Number(String((await once(child.stdout, 'data'))[0]));
  return { child, pids: [child.pid ?? 0, grandchild] };
}

describe('streams', () => {
  test('slow down a program whose output is read slowly', async () => {
    const child = start('cat', '/dev/zero');
    await once(child.stdout, 'readable');
    let longest = 0;
    for (let turn = 0; turn < 2_000; turn += 1) {
      child.stdout.read(1024);
      longest = Math.max(longest, child.stdout.readableLength);
      await nextTurn();
    }
    expect(longest).toBeLessThan(mebibyte);
    const written = Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1]);
    expect(written).toBeLessThan(8 * mebibyte);
    child.stop();
    child.disconnect();
    await once(child, 'close');
  });

  test('carry requests and responses of a long-lived process', async () => {
    const child = start('cat');
    for (const text of ['one', 'two', 'three']) {
      child.stdin.write(text);
      expect(String((await once(child.stdout, 'data'))[0])).toBe(text);
    }
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  test('that are ignored are empty', async () => {
    const options = { program: 'sh', args: ['-c', 'cat; echo out; echo err >&2'], environment };
    const child = launcher.start({ ...options, ignore: ['stdin', 'stdout', 'stderr'] });
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  test('that are not read do not prevent a process from closing', async () => {
    expect(await once(start('echo', 'text'), 'close')).toEqual([0, null]);
  });
});

describe('a process', () => {
  test('receives signals in the order in which they were sent, including those sent before it runs', async () => {
    const child = start('sleep', '600');
    child.kill('SIGSTOP');
    child.kill('SIGKILL');
    expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
    child.kill();
    expect(child).toMatchObject({ exitCode: null, signalCode: 'SIGKILL' });
  });

  test('runs at the same time as many others', async () => {
    const texts = Array.from({ length: 100 }, (_, n) => `text ${n}`);
    expect(await Promise.all(texts.map(echo))).toEqual(texts);
  });

  test('is refused when the limit of running processes is reached', async () => {
    open({ maxProcesses: 2 });
    const children = [start('cat'), start('cat')];
    await expect(echo('x')).rejects.toMatchObject({ type: 'Transient', reason: 'TooManyProcesses' });
    children[0]?.stdin.end();
    if (children[0]) await once(children[0], 'close');
    expect(await echo('x')).toBe('x');
  });
});

describe('the launcher', () => {
  test('that is killed reports its processes as failed, leaves none running, and is replaced', async () => {
    const { child, pids } = await startFamily();
    const { pid } = launcher;
    const failed = once(child, 'error');
    const waiting = expect(
      runBy(launcher, { program: 'sleep', args: ['600'], ...limits }),
    ).rejects.toMatchObject({
      type: 'Transient',
      reason: 'LauncherLost',
    });
    process.kill(pid ?? 0, 'SIGKILL');
    expect((await failed)[0]).toMatchObject({ type: 'Transient', reason: 'LauncherLost' });
    await waiting;
    await until(() => !pids.some(isRunning));
    expect(await echo('again')).toBe('again');
    expect(launcher.pid).not.toBe(pid);
  });

  test('that hangs does not delay the deadline of running processes', async () => {
    await echo('x');
    const running = runBy(launcher, { program: 'sleep', args: ['600'], ...limits, timeoutMs: 1_000 });
    const outcome = expect(running).rejects.toMatchObject({ reason: 'ProcessTimeout' });
    process.kill(launcher.pid ?? 0, 'SIGSTOP');
    await outcome;
    process.kill(launcher.pid ?? 0, 'SIGKILL');
  });

  test('that hangs is replaced after the start timeout', async () => {
    open({ startTimeoutMs: 1_000 });
    await echo('x');
    const { pid } = launcher;
    process.kill(pid ?? 0, 'SIGSTOP');
    await expect(echo('y')).rejects.toMatchObject({ type: 'Transient', reason: 'LauncherLost' });
    open();
    expect(await echo('z')).toBe('z');
    await until(() => !isRunning(pid ?? 0));
  });

  test('that is closed ends its processes, and is replaced by a later start', async () => {
    const { pids } = await startFamily();
    const { pid = 0 } = launcher;
    await launcher.close();
    await until(() => ![pid, ...pids].some(isRunning));
    expect(await echo('again')).toBe('again');
  });
});
