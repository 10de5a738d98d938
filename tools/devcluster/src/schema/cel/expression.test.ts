import { describe, expect, test } from '@jest/globals';
import { compileExpression } from './expression.js';
import { DeclaredTypes } from './declared-type.js';
import { dynamicEnvironment, engineOf, ruleEnvironment } from './environment.js';
import { CelTypes } from './types.js';
import { dynamicValue, ValueConverter } from './values.js';
import {
  boolean,
  dateTime,
  double,
  int64,
  intOrString,
  list,
  listMap,
  map,
  object,
  setList,
  string,
} from '../dsl.js';
import type { JsonObject } from '../types.js';

const schema = object({
  spec: object({
    name: string(),
    size: int64(),
    ratio: double(),
    on: boolean(),
    when: dateTime(),
    period: string({ format: 'duration' }),
    raw: string({ format: 'byte' }),
    port: intOrString(),
    empty: string({ nullable: true }),
    'dash-ed': string(),
    namespace: string(),
    tags: setList(string()),
    ports: listMap(object({ name: string(), port: int64() }), ['name']),
    plain: list(int64()),
    labels: map(string()),
  }),
});
const resource: JsonObject = {
  apiVersion: 'test.dev/v1',
  kind: 'Box',
  metadata: { name: 'box' },
  spec: {
    name: 'abc',
    size: 3,
    ratio: 1,
    on: true,
    when: '2026-01-01T00:00:00Z',
    period: '1h30m',
    raw: 'YWI=',
    port: 80,
    empty: null,
    'dash-ed': 'd',
    namespace: 'ns',
    tags: ['a', 'b'],
    ports: [
      { name: 'x', port: 1 },
      { name: 'y', port: 2 },
    ],
    plain: [1, 2],
    labels: { a: 'b' },
  },
};

const types = new CelTypes(schema);
const type = types.typeOf(schema) ?? '';
const declared = new DeclaredTypes().of(schema, true);
if (declared === undefined) throw new Error('the schema has no type');
const env = ruleEnvironment(engineOf(types), { engineType: type, declared }, false);
const converter = new ValueConverter(types);
const self = converter.convert(resource, schema);
const oldSelf = converter.convert(
  {
    spec: {
      tags: ['b', 'a'],
      plain: [2, 1],
      ports: [
        { name: 'y', port: 2 },
        { name: 'x', port: 1 },
      ],
    },
  },
  schema,
);

const run = (source: string): unknown => {
  const expression = compileExpression(env, source);
  if ('error' in expression) return expression.error;
  const result = expression.evaluate({ self, oldSelf });
  return 'error' in result ? `runtime: ${result.error}` : result.value;
};

describe('values have the types of the schema', () => {
  test.each([
    'type(self.spec.size) == int && self.spec.size / 2 == 1',
    'type(self.spec.ratio) == double',
    'self.spec.when + duration("1s") > self.spec.when && self.spec.when.getFullYear() == 2026',
    'self.spec.period == duration("90m")',
    'self.spec.raw == b"ab"',
    'self.spec.port == 80 && type(self.spec.port) == int',
    'self.spec.dash__dash__ed == "d" && self.spec.__namespace__ == "ns"',
    'self.metadata.name == "box" && self.kind == "Box"',
    'has(self.spec.name) && !has(self.spec.empty)',
    'has(self.spec.ports[0].name) && self.spec.ports.all(p, has(p.port))',
    '"a" in self.spec.labels && self.spec.labels.a == "b" && self.spec.labels["a"] == "b"',
    'self.spec.tags == oldSelf.spec.tags && self.spec.ports == oldSelf.spec.ports',
    'self.spec.plain != oldSelf.spec.plain',
    'self.spec.ports[0] != self.spec.ports[1] && self.spec.ports[0] == self.spec.ports[0]',
    'self.spec.size < 3.5',
  ])('%s', (source) => {
    expect(run(source)).toBe(true);
  });
});

describe('libraries', () => {
  test.each([
    '[1, 2].isSorted() && !["b", "a"].isSorted() && [1, 2].sum() == 3 && [0.5, 1.0].sum() == 1.5',
    '[3, 1].min() == 1 && ["a", "b"].max() == "b" && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(2) == -1',
    'self.spec.ports.indexOf(self.spec.ports[1]) == 1',
    '"a1b22".find("[0-9]+") == "1" && "a1b22".findAll("[0-9]+") == ["1", "22"] && "a1b2".findAll("[0-9]", 1) == ["1"]',
    '"ABC".matches("(?i)^abc$") && "a".matches(r"\\pL") && !"a".matches("^\\\\d")',
    '"tacocat".charAt(2) == "c" && "tacocat".indexOf("c", 3) == 4 && "a,b".split(",") == ["a", "b"]',
    '["a", "b"].join("-") == "a-b" && "x.y".replace(".", "") == "xy" && "aaa".replace("a", "b", 2) == "bba"',
    '" A ".trim().lowerAscii() == "a" && "a".upperAscii() == "A" && "abc".substring(1, 2) == "b"',
    '"%s %d %.1f %x".format(["a", 7, 1.25, 255]) == "a 7 1.3 ff"',
    'isURL("https://x.dev/a") && !isURL("x") && url("https://x.dev:8/a?q=1&q=2").getPort() == "8"',
    'url("https://x.dev/a").getHostname() == "x.dev" && url("/a/b").getEscapedPath() == "/a/b" && url("/a").getScheme() == ""',
    'url("https://x.dev/?q=1&q=2").getQuery()["q"] == ["1", "2"]',
    'quantity("1Gi").compareTo(quantity("1024Mi")) == 0 && quantity("100m").isLessThan(quantity("1"))',
    'quantity("1k").asInteger() == 1000 && !quantity("1.5").isInteger() && sign(quantity("-1")) == -1',
    'quantity("1").add(quantity("500m")) == quantity("1.5") && isQuantity("2e3") && !isQuantity("2x")',
    'ip("::1").isLoopback() && ip("127.0.0.1").family() == 4 && !isIP("1.2.3") && ip("10.0.0.1").isGlobalUnicast()',
    'cidr("10.0.0.0/8").containsIP("10.9.9.9") && !cidr("10.0.0.0/8").containsCIDR("0.0.0.0/0") && isCIDR("fd00::/8")',
    'cidr("2001:db8::/32").containsIP(ip("2001:db8::1")) && cidr("10.0.0.0/8").prefixLength() == 8',
    'format.dns1123Label().validate("A").hasValue() && !format.named("uuid").value().validate("0f0e5f8e-5d2d-4c50-a4d4-1c4b1e1b2a3c").hasValue()',
    'self.spec.?name.orValue("") == "abc" && !self.spec.?empty.hasValue() && self.spec.labels[?"z"].orValue("q") == "q"',
    'optional.of(1).optMap(x, x + 1).value() == 2 && optional.none().optMap(x, 1).orValue(3) == 3',
    'self.spec.?name.optFlatMap(n, optional.of(n + "d")).value() == "abcd"',
    'sets.contains(self.spec.tags, ["a"]) && !sets.contains(["a"], self.spec.tags) && sets.equivalent(["b", "a"], self.spec.tags)',
    'sets.intersects(self.spec.ports, [self.spec.ports[1]]) && !sets.intersects([1], [2]) && sets.contains([{"a": 1}], [{"a": 1}])',
    '[3, 1, 2].sort() == [1, 2, 3] && ["b", "a"].reverse() == ["a", "b"] && ["b", "a", "b"].distinct() == ["b", "a"]',
    '[3, 1, 2].slice(1, 3) == [1, 2] && [[1], [2, 3]].flatten() == [1, 2, 3] && lists.range(3) == [0, 1, 2]',
    '[1, 2].first().value() == 1 && [1, 2].last().value() == 2 && ![].first().hasValue()',
    'optional.unwrap([optional.of(1), optional.none()]) == [1] && [optional.of("a")].unwrapOpt() == ["a"]',
    'optional.ofNonZeroValue("a").hasValue() && !optional.ofNonZeroValue(0).hasValue() && !optional.ofNonZeroValue({}).hasValue()',
    'self.spec.plain.all(i, n, n == i + 1) && self.spec.labels.exists(k, v, k == "a" && v == "b")',
    'self.spec.plain.exists(i, n, 2 / i == 2) && !self.spec.plain.all(i, n, 2 / i == 3)',
    'self.spec.plain.exists_one(i, n, n == 2) && !self.spec.plain.existsOne(i, n, n > 0)',
    'self.spec.tags.transformList(i, tag, tag + string(i)) == ["a0", "b1"] && [4, 5].transformList(i, n, i > 0, n) == [5]',
    'self.spec.labels.transformMap(k, v, v + k) == {"a": "ba"} && self.spec.labels.transformMapEntry(k, v, {v: k}) == {"b": "a"}',
    '{1: "a", 2: "b"}.transformList(n, text, n).sum() == 3',
    '[3, 1, 2].sortBy(n, -n) == [3, 2, 1] && self.spec.ports.sortBy(p, p.name)[0].port == 1',
    'semver("1.2.3").major() == 1 && semver("1.2.3-rc.2").isLessThan(semver("1.2.3-rc.10")) && semver("1.0.0-1").compareTo(semver("1.0.0-a")) == -1',
    '!isSemver("1.2") && isSemver("v1.2", true) && semver("01.2", true).minor() == 2 && semver("1.2.3+a") == semver("1.2.3+b")',
    'ip.isCanonical("2001:db8::1") && !ip.isCanonical("2001:DB8::1") && !ip.isCanonical("2001:db8:0:0:0:0:0:1") && ip.isCanonical("1:0:0:2::3")',
    'cidr("10.1.2.3/8").masked() == cidr("10.0.0.0/8") && string(cidr("2001:db8:1::/32").masked()) == "2001:db8::/32"',
    'quantity("1").add(2) == quantity("3") && quantity("3").sub(1).compareTo(quantity("2")) == 0',
    'strings.quote("a\\"b\\n") == "\\"a\\\\\\"b\\\\n\\""',
    'b"a" < b"b" && b"ab" >= b"a" && [b"b", b"a"].sort() == [b"a", b"b"] && [2u, 3u].sum() == 5u && int(7u) == 7',
    'format.dns1123LabelPrefix().validate("-a").hasValue() && !format.dns1123LabelPrefix().validate("a-").hasValue()',
    '[[1], [2]].indexOf([2]) == 1 && [{"a": 1}, {"a": 1}].distinct().size() == 1',
    'string(self.spec.when) == "2026-01-01T00:00:00Z" && int(timestamp("1970-01-01T00:01:00Z")) == 60',
  ])('%s', (source) => {
    expect(run(source)).toBe(true);
  });
});

describe('errors', () => {
  test.each([
    ['self.nope > 1', "1:5: undefined field 'nope'", '....^'],
    ['has(self.spec.nope)', "1:4: undefined field 'nope'", '...^'],
    ['other', "1:1: undeclared reference to 'other' (in container '')", '^'],
    ['zork(1)', "1:5: undeclared reference to 'zork' (in container '')", '....^'],
    [
      'self.spec.name.zork()',
      "1:20: undeclared reference to 'zork' (in container '')",
      '...................^',
    ],
    [
      'self.spec.name.startsWith(1)',
      "1:26: found no matching overload for 'startsWith' applied to 'string.(int)'",
      '.........................^',
    ],
    ['size(self.spec)', "1:5: found no matching overload for 'size' applied to '(selfType.spec)'", '....^'],
    [
      'self.spec.name.matches(1)',
      "1:23: found no matching overload for 'matches' applied to 'string.(int)'",
      '......................^',
    ],
    [
      'self.spec.name + 1',
      "1:16: found no matching overload for '_+_' applied to '(string, int)'",
      '...............^',
    ],
    [
      'self.spec.size in self.spec.labels',
      "1:16: found no matching overload for '@in' applied to '(int, map(string, string))'",
      '...............^',
    ],
    [
      'self.spec.name.all(c, c)',
      "1:10: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
      '.........^',
    ],
    ['[1, "a"] == []', "1:5: expected type 'int' but found 'string'", '....^'],
    ['self.spec.plain.all(i, i, true)', '1:24: duplicate variable name: i', '.......................^'],
    ['duration("x") > duration("1s")', '1:10: invalid duration argument', '.........^'],
    [
      '"%d".format(["a"]) == ""',
      '1:14: error during formatting: decimal clause can only be used on integers, was given string',
      '.............^',
    ],
    ['!self.spec.name', "1:1: found no matching overload for '!_' applied to '(string)'", '^'],
  ])('of the compilation of %s have the text of the API server', (source, message, mark) => {
    expect(run(source)).toBe(`ERROR: <input>:${message}\n | ${source}\n | ${mark}`);
  });

  test('are all reported, in the order of the text', () => {
    const source = 'self.zork || self.spec.size + "ü" == nope';
    expect(run(source)).toBe(
      [
        ["1:5: undefined field 'zork'", '....^'],
        [
          "1:29: found no matching overload for '_+_' applied to '(int, string)'",
          '............................^',
        ],
        ["1:38: undeclared reference to 'nope' (in container '')", '...............................．.....^'],
      ]
        .map(([message, mark]) => `ERROR: <input>:${message}\n | ${source}\n | ${mark}`)
        .join('\n'),
    );
  });

  test('contain the line in an expression of several lines', () => {
    expect(run('self.spec.on &&\n  self.zork')).toBe(
      "ERROR: <input>:2:7: undefined field 'zork'\n |   self.zork\n | ......^",
    );
  });

  test('of the syntax name the position', () => {
    expect(run('1 +')).toMatch(/^ERROR: <input>:1:4: Syntax error: .*\n \| 1 \+\n \| \.\.\.\^$/);
  });

  test.each([
    ['self.spec.labels.z == ""', 'no such key: z'],
    ['self.spec.plain[9] == 1', 'index out of bounds: 9'],
    ['1 / (self.spec.size - 3) == 1', 'division by zero'],
    ['9223372036854775807 + self.spec.size > 0', 'integer overflow'],
    ['self.spec.port.startsWith("8")', 'no such overload'],
    ['[1].slice(1, 0) == []', 'cannot slice(1, 0), start index must be less than or equal to end index'],
    ['[1].slice(-1, 0) == []', 'cannot slice(-1, 0), negative indexes not supported'],
    ['[1].slice(0, 2) == []', 'cannot slice(0, 2), list is length 1'],
    ['[1].flatten(-1) == []', 'level must be non-negative'],
    ['[1, 2].transformMapEntry(i, n, {"k": n}) == {}', 'insert failed: key k already exists'],
    ['self.spec.plain.all(i, n, 2 / i == 2)', 'division by zero'],
    ['quantity("x").isInteger()', expect.stringContaining('quantities must match')],
  ])('of the evaluation of %s have the text of the API server', (source, message) => {
    const result = run(source);
    expect(typeof result === 'string' ? result.replace(/^runtime: /, '') : result).toEqual(message);
  });

  test('are ignored when the other operand determines the result', () => {
    expect(run('1 / 0 == 1 || true')).toBe(true);
    expect(run('self.spec.labels.z == "" && false')).toBe(false);
  });
});

test('values without a schema are dynamic', () => {
  const dynamic = dynamicEnvironment(['object']);
  const expression = compileExpression(
    dynamic,
    'has(object.spec.n) && object.spec.n + 1 == 3 && !has(object.spec.z)',
  );
  if ('error' in expression) throw new Error(expression.error);
  expect(expression.evaluate({ object: dynamicValue({ spec: { n: 2 } }) })).toEqual({ value: true });
});
