import { expect, it } from '@jest/globals';
import { isProblem, Problem, type OrProblem } from './problem.js';

it.each<[string, unknown, boolean]>([
  ['a problem', new Problem('NotFound', 'spec.repoRef.name: it does not exist; create it'), true],
  ['an object with the same fields', { reason: 'NotFound', message: 'gone', transient: true }, false],
  ['a text', 'NotFound', false],
  ['a list', [], false],
  ['nothing', undefined, false],
])('determines whether %s is a problem', (_case, value, expected) => {
  expect(isProblem(value)).toBe(expected);
});

it('a problem is transient by default', () => {
  expect(new Problem('NotRead', 'has not been read yet').transient).toBe(true);
  expect(new Problem('Invalid', 'write it like v1', { transient: false }).transient).toBe(false);
});

it('a problem keeps the error that caused it', () => {
  const cause = new Error('the forge is down');
  expect(new Problem('Unreachable', cause.message, { cause }).cause).toBe(cause);
});

it('narrows the type of a value or problem', () => {
  const read = (text: string): OrProblem<string> =>
    text === '' ? new Problem('Empty', 'write a text', { retryAfterMs: 1_000 }) : text;
  const [none, some] = [read(''), read('a')];
  expect(isProblem(none) ? none.retryAfterMs : none.length).toBe(1_000);
  expect(isProblem(some) ? some.reason : some.length).toBe(1);
});
