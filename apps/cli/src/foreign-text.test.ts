import { expect, it } from '@jest/globals';
import { exitCodes } from './exit.js';
import { progressOn } from './output/progress.js';
import { run } from './run.js';

const escape = '\u001b';

it.each([
  ['an unknown command', [`${escape}[2J`]],
  ['a file that does not exist', ['why', '--kubeconfig', `/none/${escape}[2J`, 'freeze']],
])('escapes the control characters in text that others wrote: %s', async (_, args) => {
  let printed = '';
  const code = await run('interlock', ['gate', ...args], {
    stdout: () => undefined,
    stderr: (text) => (printed += text),
    env: {},
    now: () => 0,
    signal: new AbortController().signal,
  });
  expect(code).not.toBe(exitCodes.ok);
  expect(printed).toContain('␛[2J');
  expect(printed).not.toContain(escape);
});

it('indents the further lines of a text, so that they do not resemble progress', () => {
  let printed = '';
  progressOn({ stderr: (text) => (printed += text) }).failure('refused: a reason\n✔ Gate freeze opened');
  expect(printed).toBe('✗ refused: a reason\n  ✔ Gate freeze opened\n');
});
