import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from './support/program.js';

const page = await readFile(join(root, 'docs/agc.md'), 'utf8');
const [, section = ''] = page.split('## Rules of the protocol, and their tests');
const folders = ['apps/agc', 'apps/worker', 'libs/broker', 'tools/actions-service'];
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
  ...{ cwd: root, encoding: 'utf8' },
}).split('\n');

/** The file and the titles of each entry of the table. */
const entries = [...section.matchAll(/`([\w-]+)`: ("[^"]+"(?:, "[^"]+")*)/g)].map(
  ([, file = '', titles = '']): [file: string, titles: string[]] => [
    file,
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
  ],
);

/** Returns the texts of the test files with a name. */
function textsOf(name: string): Promise<string[]> {
  const found = files.filter((file) => [`${name}.test.ts`, `${name}.ts`].includes(basename(file)));
  return Promise.all(
    found
      .filter((file) => /\.test\.ts$|\/testing\//.test(file))
      .map((file) => readFile(join(root, file), 'utf8')),
  );
}

describe('the table of rules of the protocol in docs/agc.md', () => {
  test('has at least one test in each row', () => {
    const rows = section.split('\n').filter((line) => /^\| (?!-|call)/.test(line));
    const without = rows.filter((row) => !/`[\w-]+`: "/.test(row));
    expect([rows.length > 40, without]).toEqual([true, []]);
  });

  test.each(entries)('names tests of %s that exist: %j', async (file, titles) => {
    const texts = await textsOf(file);
    const missing = titles.filter((title) => !texts.some((text) => text.includes(title)));
    expect(missing).toEqual([]);
  });
});
