import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { request } from 'undici';
import { workerPlugin } from '../../bundle/worker-source.mjs';
import { closeAll, onClose, temporaryFolder } from './testing/forge.js';

afterEach(closeAll);

/** Runs the command. @returns its output up to the line with the URL of the forge, and a function to end it. */
async function run(program: string, ...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  onClose(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const [, found] = /^forge (\S+)/m.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.on('exit', (code) => reject(new Error(`ended with ${String(code)}: ${output}`)));
  });
  const stop = async (): Promise<unknown> => {
    child.kill('SIGTERM');
    const [code] = (await exited) as [number | null];
    return code;
  };
  return { url, output, stop };
}

test('the command serves until it receives a signal, and continues with the same data after a restart', async () => {
  const folder = await temporaryFolder();
  const program = join(folder, 'forge.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('main.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [workerPlugin()],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  const dataDir = join(folder, 'data');
  const first = await run(program, '--data-dir', dataDir, '--repository', 'acme/web');
  expect(first.output).toContain(`repository ${first.url}/acme/web.git`);
  expect(await first.stop()).toBe(0);
  const second = await run(program, '--data-dir', dataDir, '--repository', 'acme/web');
  const { statusCode, body } = await request(`${second.url}/acme/web`);
  expect([statusCode, await body.text()]).toEqual([200, expect.stringContaining('acme/web')]);
  expect(await second.stop()).toBe(0);
});
