import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { apps } from '../../tools/bundle/run.mjs';
import { root } from './support/program.js';

/** The apps that have an image, in which Node.js can be process 1. */
const images = apps.filter((app) => existsSync(join(root, 'apps', app, 'Dockerfile')));

let folder: string;
let child: ChildProcess | undefined;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'stop-while-loading-'))));
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Copies the bundle of an app. Returns the file of its program, which `main.mjs` loads. */
async function copyOf(app: string): Promise<string> {
  await cp(join(root, 'apps', app, 'dist'), folder, { recursive: true });
  return join(folder, 'app.mjs');
}

function start(): Promise<unknown[]> {
  child = spawn(process.execPath, [join(folder, 'main.mjs'), '--help'], { stdio: 'ignore' });
  return once(child, 'exit');
}

describe.each(images)('the bundle of %s', (app) => {
  it('handles a SIGTERM that it gets while it loads', async () => {
    const program = await copyOf(app);
    const source = await readFile(program);
    await rm(program);
    /* The process waits for the contents of this pipe, so the signal arrives before the program is loaded. */
    await promisify(execFile)('mkfifo', [program]);
    const exited = start();
    const writer = await open(program, 'w');
    child?.kill('SIGTERM');
    /* The process may have ended. */
    await writer.writeFile(source).catch(() => undefined);
    await writer.close();
    expect(await exited).toEqual([0, null]);
  });

  it('leaves a SIGTERM to the program once that handles it', async () => {
    const program = await copyOf(app);
    const source = "process.on('SIGTERM', () => process.exit(7)); process.kill(process.pid, 'SIGTERM');";
    await writeFile(program, `${source} setInterval(() => undefined, 1000);`);
    expect(await start()).toEqual([7, null]);
  });
});
