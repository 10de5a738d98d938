import { execFile } from 'node:child_process';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Files, runOffline } from './harness/files.js';

let files: Files;
beforeAll(async () => (files = await Files.start()));
afterAll(() => files.close());

/** Returns the candidates of the bash script for the last word, if the program prints `printed`. */
async function completedBy(printed: string, words: readonly string[]): Promise<string[]> {
  const { stdout: script } = await runOffline(['gate', 'completion', 'bash']);
  await files.write('printed', printed);
  await chmod(
    await files.write('bin/interlock', `#!/bin/sh\ncat '${join(files.folder, 'printed')}'\n`),
    0o755,
  );
  const call = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _interlock_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', `${script}${call}`, 'bash', ...words], {
    env: { PATH: `${join(files.folder, 'bin')}:${process.env['PATH'] ?? ''}` },
  });
  return stdout.split('\n').filter((line) => line !== '');
}

test('the bash script offers the candidates without their descriptions', async () => {
  const printed = 'open\topens a gate\nopenly\n:4\n';
  expect(await completedBy(printed, ['interlock', 'gate', 'op'])).toEqual(['open', 'openly']);
  expect(await completedBy(':4\n', ['interlock', 'gate', 'none'])).toEqual([]);
});

test('the bash script neither runs nor splits the names that a server returns', async () => {
  const marker = join(files.folder, 'marker');
  const names = [`$(touch ${marker})`, `a b;touch ${marker}`];
  const completed = await completedBy(`${names.join('\n')}\n:4\n`, ['interlock', 'gate', 'open', '']);
  await expect(rm(marker)).rejects.toThrow('ENOENT');
  expect(completed).toHaveLength(2);
  /* What is inserted into the command line is one quoted word. */
  const echoed = await promisify(execFile)('bash', ['-c', `printf '%s\\n' ${completed.join(' ')}`]);
  expect(echoed.stdout).toBe(`${names.join('\n')}\n`);
});
