import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Sandbox, until } from '../testing/sandbox.js';
import { run, type Command } from './run.js';

let sandbox: Sandbox;

beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => sandbox.remove());

function script(text: string, more: Partial<Command> = {}): Command {
  return {
    program: process.execPath,
    args: ['-e', text],
    operation: 'test',
    environment: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 60_000,
    maxOutputBytes: 1_000,
    ...more,
  };
}

test('kills a program that ignores signals after its timeout', async () => {
  const deaf = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1e3)";
  await expect(run(script(deaf, { timeoutMs: 1_000 }))).rejects.toMatchObject({ reason: 'GitTimeout' });
});

test('does not wait for the output of a descendant when the program has ended', async () => {
  const pid = sandbox.path('pid');
  const text = `
    const options = { detached: true, stdio: 'inherit' };
    const child = require('child_process').spawn('sleep', ['600'], options);
    require('fs').writeFileSync(${JSON.stringify(pid)}, String(child.pid));
    setInterval(() => undefined, 1e3);`;
  const controller = new AbortController();
  const running = run(script(text, { signal: controller.signal }));
  const outcome = expect(running).rejects.toBe('enough');
  await until(() => existsSync(pid) && readFileSync(pid, 'utf8') !== '');
  try {
    controller.abort('enough');
    await outcome;
  } finally {
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
  }
});
