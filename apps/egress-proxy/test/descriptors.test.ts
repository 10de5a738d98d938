import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';

const bundle = fileURLToPath(new URL('../dist/main.mjs', import.meta.url));
let proxy: ChildProcess | undefined;
afterEach(() => void proxy?.kill('SIGKILL'));

test('a proxy admits only as many tunnels as it can open sockets for, and warns', async () => {
  const limited = ['-c', 'ulimit -n 1024 && exec "$0" "$@"', process.execPath, bundle];
  const flags = ['--bind-address=127.0.0.1:0', '--health-probe-bind-address=0', '--max-tunnels=5000'];
  const started = spawn('sh', [...limited, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
  proxy = started;
  const lines: unknown[] = [];
  for await (const line of createInterface(started.stdout)) {
    lines.push(JSON.parse(line));
    if (line.includes('"started"')) break;
  }
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', descriptorLimit: 1024, maxTunnels: 412, requested: 5000 }),
    expect.objectContaining({ msg: 'started', maxTunnels: 412 }),
  ]);
});
