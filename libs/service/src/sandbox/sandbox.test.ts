import { afterEach, describe, expect, it } from '@jest/globals';
import { isProblem, Problem } from '@interlock/base';
import { Sandbox } from './sandbox.js';
import type * as probe from './testing/probe.worker.js';
import { source } from './testing/probe.worker.js';

type Probe = typeof probe;

const open: Sandbox<Probe>[] = [];

function sandbox(timeMs = 200): Sandbox<Probe> {
  const one = new Sandbox<Probe>(source, { workers: 2, timeMs, memoryMb: 16 });
  open.push(one);
  return one;
}

afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

describe('a sandbox', () => {
  it('returns the result of a function, or the message of its error', async () => {
    const one = sandbox(30_000);
    expect(await one.call('a', 'double', [21])).toEqual(42);
    expect(await one.call('a', 'fail', ['no such day'])).toEqual(new Problem('CallFailed', 'no such day'));
    const long = await one.call('a', 'fail', ['x'.repeat(1_000_000)]);
    expect(isProblem(long) && long.message.length).toBe(1_000);
  });

  it('refuses arguments that cannot be copied, and runs the next call', async () => {
    const one = sandbox(30_000);
    const value = { valueOf: () => 1 } as unknown as number;
    expect(await one.call('a', 'double', [value])).toEqual(
      new Problem('CallFailed', '() => 1 could not be cloned.'),
    );
    expect(await one.call('a', 'double', [1])).toEqual(2);
  });

  it('does not give environment variables to a thread', async () => {
    expect(await sandbox(30_000).call('a', 'environment', [])).toEqual([]);
  });

  it('ends a call that takes too long, and runs the next call', async () => {
    const one = sandbox();
    expect(await one.call('a', 'loop', [])).toEqual(
      new Problem('TimeLimitExceeded', 'it takes longer than 0.2 s'),
    );
    expect(await one.call('a', 'double', [1])).toEqual(2);
  });

  it('does not count the time that a thread needs to load the module', async () => {
    const loading =
      'const end = Date.now() + 1_000; while (Date.now() < end); const sandboxed = { double: () => 42 };';
    const one = new Sandbox<Probe>(loading, { workers: 1, timeMs: 500, memoryMb: 16 });
    open.push(one);
    expect(await one.call('a', 'double', [21])).toBe(42);
  });

  it('ends a call that needs too much memory, and runs the next call', async () => {
    const one = sandbox(30_000);
    expect(await one.call('a', 'hoard', [])).toEqual(
      new Problem('MemoryLimitExceeded', 'it needs more memory than the limit allows'),
    );
    expect(await one.call('a', 'double', [1])).toEqual(2);
  });

  it('reports a thread that cannot be started, and runs the next call', async () => {
    /* Like a machine without free threads, a source of the longest length fails in the constructor of the thread. */
    const one = new Sandbox<Probe>(' '.repeat(2 ** 29 - 24), { workers: 1, timeMs: 30_000, memoryMb: 16 });
    open.push(one);
    const failed = new Problem('CallFailed', 'Invalid string length');
    expect(await one.call('a', 'double', [1])).toEqual(failed);
    expect(await one.call('a', 'double', [1])).toEqual(failed);
  });

  it('serves a tenant while another tenant has many calls that take too long', async () => {
    const one = sandbox();
    let ended = 0;
    const hostile = Array.from({ length: 8 }, () => one.call('hostile', 'loop', []).then(() => (ended += 1)));
    expect(await one.call('other', 'double', [4])).toEqual(8);
    expect(ended).toBeLessThan(8);
    await Promise.all(hostile);
    expect(ended).toBe(8);
  });

  it('ends running and waiting calls when it is closed', async () => {
    const one = sandbox(30_000);
    const calls = Array.from({ length: 3 }, () => one.call('a', 'loop', []));
    await one.close();
    for (const result of await Promise.all(calls)) expect(isProblem(result)).toBe(true);
    expect(await one.call('a', 'double', [1])).toEqual(new Problem('Stopping', 'the process is stopping'));
  });
});
