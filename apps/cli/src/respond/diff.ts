import type { FileChange } from '@interlock/responding';
import { createTwoFilesPatch } from 'diff';

const maxDifference = 10_000;

/**
 * Returns a unified diff in the format of git.
 *
 * @param before absent if the file did not exist
 */
export function unifiedDiff({ path, change, content = '' }: FileChange, before = ''): string {
  const from = change === 'add' ? '/dev/null' : `a/${path}`;
  const to = change === 'delete' ? '/dev/null' : `b/${path}`;
  const patch = createTwoFilesPatch(from, to, before, content, undefined, undefined, {
    maxEditLength: maxDifference,
  });
  if (patch === undefined) return `--- ${from}\n+++ ${to}\n(more than ${maxDifference} differences)\n`;
  return patch.replace(/^=+\n/, '');
}
