import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { build, stop } from 'esbuild';
import { Agent, request } from 'undici';

interface Started {
  urls: Record<string, string>;
  installationId: number;
  privateKeyPath: string;
  ca: string;
}

test('the command prints its URLs and credentials, and ends on SIGTERM', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'actions-service-test-'));
  const program = join(folder, 'main.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  const child = spawn(process.execPath, [program, '--https'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const started = JSON.parse(line) as Started;
    expect(await readFile(started.privateKeyPath, 'utf8')).toContain('RSA PRIVATE KEY');
    const dispatcher = new Agent({ connect: { ca: started.ca } });
    const { statusCode, body } = await request(`${started.urls['control'] ?? ''}/verdict`, { dispatcher });
    expect([statusCode, await body.json()]).toEqual([
      200,
      expect.objectContaining({ jobs: 0, violations: 0 }),
    ]);
    await dispatcher.close();
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    await expect(readFile(started.privateKeyPath)).rejects.toThrow('ENOENT');
  } finally {
    child.kill('SIGKILL');
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
});
