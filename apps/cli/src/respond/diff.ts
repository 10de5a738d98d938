import type { FileChange } from '@interlock/responding';
import { createTwoFilesPatch } from 'diff';

const maxDifference = 10_000;

/** @param before absent: there was no file. @returns a unified diff, as git prints it. */
export function unifiedDiff({ path, change, content = '' }: FileChange, before = ''): string {
  const from = change === 'add' ? '/dev/null' : `a/${path}`;
  const to = change === 'delete' ? '/dev/null' : `b/${path}`;
  const patch = createTwoFilesPatch(from, to, before, content, undefined, undefined, {
    maxEditLength: maxDifference,
  });
  if (patch === undefined) return `--- ${from}\n+++ ${to}\n(more than ${maxDifference} differences)\n`;
  return patch.replace(/^=+\n/, '');
}
