import { describe, expect, it, test } from '@jest/globals';
import { compileCondition } from './condition.js';

const over = { object: 'dyn', gates: 'map<string, bool>' };
const evaluate = (source: string, values: Record<string, unknown> = {}) =>
  compileCondition(source, over).evaluate(values);

test.each<[string, Record<string, unknown>, boolean]>([
  ["object.phase == 'Ready'", { object: { phase: 'Ready' } }, true],
  ['object.replicas >= 3', { object: { replicas: 3 } }, true],
  ["object.list.exists(x, x.name == 'a')", { object: { list: [{ name: 'a' }] } }, true],
  ["object.name.matches('^v[0-9]+$')", { object: { name: 'v12' } }, true],
  ["object.name.matches('^v[0-9]+$')", { object: { name: 'main' } }, false],
  ["gates['freeze'] || gates['signoff']", { gates: { signoff: true } }, true],
  ["gates['freeze'] && gates['signoff']", { gates: { signoff: false } }, false],
])('%s', (source, values, expected) => expect(evaluate(source, values)).toBe(expected));

describe('what cannot be evaluated', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['object.a.b', { object: {} }, 'No such key: a'],
    ['object.a', { object: { a: 'yes' } }, 'it is not true or false'],
    ["gates['freeze'] || gates['signoff']", { gates: { signoff: false } }, 'No such key: freeze'],
  ])('%s says why, in one line', (source, values, message) =>
    expect(() => evaluate(source, values)).toThrow(expect.objectContaining({ message })),
  );
});

describe('what is refused', () => {
  it.each([
    ['object.', 'Expected IDENTIFIER, got EOF'],
    ['1 + 1', 'it is int, not true or false'],
    ['other.x', 'Unknown variable: other'],
    ["object.a // matches\n.matches('a')", 'write matches as text.matches(pattern)'],
    ['object.a.all(x, x.all(y, y.all(z, z)))', 'nested more than 2 deep'],
  ])('%s', (source, message) => expect(() => compileCondition(source, over)).toThrow(message));
});

it('takes linear time for a pattern that makes others backtrack', () => {
  expect(evaluate("object.name.matches('^(a+)+$')", { object: { name: `${'a'.repeat(4000)}b` } })).toBe(
    false,
  );
});

it('sees the first 4096 characters of a text', () => {
  expect(evaluate('object.name.size() == 4096', { object: { name: 'x'.repeat(10_000) } })).toBe(true);
});
