import { describe, expect, it, test } from '@jest/globals';
import { compileCondition } from './condition.js';
import { CelValues } from './value.js';

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
])('evaluates %s', (source, values, expected) => expect(evaluate(source, values)).toBe(expected));

describe('the error of an evaluation', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['object.a.b', { object: {} }, 'No such key: a'],
    ['object.a', { object: { a: 'yes' } }, 'its value is not a boolean'],
    ["gates['freeze'] || gates['signoff']", { gates: { signoff: false } }, 'No such key: freeze'],
  ])('explains in one line why %s cannot be evaluated', (source, values, message) =>
    expect(() => evaluate(source, values)).toThrow(expect.objectContaining({ message })),
  );
});

describe('compileCondition', () => {
  it.each([
    ['object.', 'Expected IDENTIFIER, got EOF'],
    ['1 + 1', 'its type is int, not bool'],
    ['other.x', 'Unknown variable: other'],
    ["object.a // matches\n.matches('a')", 'write matches as text.matches(pattern)'],
    ['object.a.all(x, x.all(y, y.all(z, z)))', 'nested more than 2 levels deep'],
  ])('refuses %s', (source, message) => expect(() => compileCondition(source, over)).toThrow(message));
});

it('takes linear time for a pattern that makes other engines backtrack', () => {
  expect(evaluate("object.name.matches('^(a+)+$')", { object: { name: `${'a'.repeat(4000)}b` } })).toBe(
    false,
  );
});

it('reads only the first 4096 characters of a text', () => {
  expect(evaluate('object.name.size() == 4096', { object: { name: 'x'.repeat(10_000) } })).toBe(true);
});

describe('an evaluation', () => {
  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, `value-${index}`]));
  const tooMany = expect.objectContaining({ message: 'it takes more than 100000 steps' });

  it.each<[string, string, Record<string, unknown>]>([
    ['a loop in a loop', 'object.all(a, object.all(b, a != b || true))', entries(4_000)],
    ['a loop in a loop on the left of ||', 'object.all(a, object.all(b, b.x)) || true', entries(4_000)],
    [
      'lists that contain one another',
      'object.l.map(a, object.l) == object.l.map(b, object.l)',
      { l: list(2_000) },
    ],
    [
      'long lists that are joined',
      `(${Array(60).fill('object.l').join(' + ')}).all(x, x > 0)`,
      { l: list(4_000) },
    ],
    ['a comparison in a loop', 'object.l.all(x, object == object)', { l: list(1_000) }],
    ['a search in a loop', 'object.l.all(x, x in object.l)', { l: list(1_000) }],
    [
      'a costly pattern in a loop',
      "object.l.all(x, !object.text.matches('(a{0,50}b){20}$'))",
      { l: list(1_000), text: 'a'.repeat(4_000) },
    ],
    [
      'long texts that are joined in a loop',
      'object.l.all(x, object.l.join("").size() > 0)',
      { l: texts(4_000) },
    ],
    ['texts that are split in a loop', 'object.l.all(x, x.split("").size() > 0)', { l: texts(100) }],
    ['counting a map in a loop', 'object.all(x, object.size() > 0)', entries(4_000)],
    ['an error for each of many items', 'object.exists(a, object.exists(b, int(b) == 1))', entries(4_000)],
    [
      'patterns from the object',
      'object.all(key, !key.matches(object[key]))',
      Object.fromEntries(list(2_000).map((n) => [`k${n}`, `(x{${n % 900}}){0,1}y{500}z{${n % 999}}`])),
    ],
  ])('refuses %s', (_name, source, object) => {
    expect(() => evaluate(source, { object })).toThrow(tooMany);
  });

  it('has its own budget', () => {
    const condition = compileCondition('object.all(key, object[key] != "")', over);
    for (const _ of list(50)) expect(condition.evaluate({ object: entries(2_000) })).toBe(true);
  });

  it('returns the size of a large list without reading its items', () => {
    const items = list(3_000).map((n) => ({
      name: `pod-${n}`,
      labels: Object.fromEntries(list(40).entries()),
    }));
    expect(evaluate('object.items.size() == 3000 && size(object.items) > 0', { object: { items } })).toBe(
      true,
    );
  });

  it('skips some items that lack the requested value', () => {
    const items = list(1_000).map((n) => (n < 1_000 ? { n } : { n, name: 'a' }));
    expect(evaluate("object.items.exists(x, x.name == 'a')", { object: { items } })).toBe(true);
  });

  it('evaluates a usual expression over a large object', () => {
    const items = list(3_000).map((n) => ({ name: `pod-${n}`, ready: true }));
    const source = "object.items.all(x, x.ready && x.name.startsWith('pod-')) && object.items.size() == 3000";
    expect(evaluate(source, { object: { items } })).toBe(true);
  });
});

describe('many evaluations over the same values', () => {
  const keys = Object.fromEntries(list(30_000).map((n) => [`key-${n}`, 'x']));
  const search = compileCondition("object.exists(key, key == 'missing')", over);
  const simple = compileCondition("object['key-1'] == 'x'", over);

  it('have a limit together, beyond which each may still take some steps', () => {
    const values = new CelValues({ object: keys });
    for (const _ of list(3)) expect(() => search.evaluate(values)).toThrow('more than 100000 steps');
    expect(() => search.evaluate(values)).toThrow(
      'it takes more than 1000 steps, which the expressions before it have left',
    );
    expect(simple.evaluate(values)).toBe(true);
  });

  it('do not read the keys of a map for which no steps are left', () => {
    const values = new CelValues({ object: keys });
    values.spend(1_000_000);
    const map = values.converted['object'] as Map<string, string>;
    map.keys = () => {
      throw new Error('read');
    };
    expect(() => search.evaluate(values)).toThrow('more than 1000 steps');
  });
});

function texts(count: number): string[] {
  return Array.from({ length: count }, () => 'x'.repeat(4_096));
}

function list(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
