import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns the text of each tracked file that the patterns of git match, by its path. Links are omitted. */
export function trackedTexts(...patterns: string[]): Map<string, string> {
  const listed = execFileSync('git', ['ls-files', '--stage', '--', ...patterns], {
    ...{ cwd: root, encoding: 'utf8' },
  });
  const files = listed
    .split('\n')
    .filter((line) => line.startsWith('100'))
    .map((line) => line.slice(line.indexOf('\t') + 1));
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** Returns the file of each entry of the workspace's packages by its specifier, such as `@interlock/kube/testing`. */
export function packageEntries(): Map<string, string> {
  const entries = new Map<string, string>();
  for (const [file, text] of trackedTexts('*/package.json')) {
    const { name, exports = {} } = JSON.parse(text) as { name: string; exports?: Record<string, string> };
    for (const [path, target] of Object.entries(exports))
      if (target.endsWith('.ts')) entries.set(join(name, path), join(dirname(file), target));
  }
  return entries;
}
