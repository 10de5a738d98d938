import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { isDockerReady } from './docker-wait.js';
import { temporaryFolder } from './testing/folder.js';

const { path: folder, remove } = temporaryFolder();
afterAll(remove);

/** Returns whether Docker is ready whose client is a script. */
function readyWith(script: string, signal: AbortSignal): Promise<boolean> {
  writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return isDockerReady({ PATH: `${folder}:${process.env['PATH'] ?? ''}` }, signal);
}

it.each([
  ['succeeds', 'exit 0', true],
  ['fails', 'exit 1', false],
])('calls Docker by its client, which %s', async (_title, script, expected) => {
  expect(await readyWith(script, new AbortController().signal)).toBe(expected);
});

it('does not wait for a client that hangs when the program is asked to end', async () => {
  const stop = new AbortController();
  const ready = readyWith('exec sleep 300', stop.signal);
  stop.abort();
  expect(await ready).toBe(false);
});
