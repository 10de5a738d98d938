import { describe, expect, test } from '@jest/globals';
import { compileExpression } from './expression.js';
import { environmentOf, kubernetesEnvironment } from './environment.js';
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
const env = environmentOf(types).registerVariable('self', type).registerVariable('oldSelf', type);
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

describe('values are typed by the schema', () => {
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
    'string(self.spec.when) == "2026-01-01T00:00:00Z" && int(timestamp("1970-01-01T00:01:00Z")) == 60',
    'cel.bind(n, self.spec.size, n * n) == 9',
  ])('%s', (source) => {
    expect(run(source)).toBe(true);
  });
});

describe('errors are worded as the API server words them', () => {
  test.each([
    ['self.nope > 1', "1:5: undefined field 'nope'", '....^'],
    ['has(self.spec.nope)', "1:14: undefined field 'nope'", '.............^'],
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
    ['size(self.spec)', "1:5: found no matching overload for 'size' applied to '(object)'", '....^'],
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
    ['!self.spec.name', "1:1: found no matching overload for '!_' applied to '(string)'", '^'],
  ])('compiling %s', (source, message, mark) => {
    expect(run(source)).toBe(`ERROR: <input>:${message}\n | ${source}\n | ${mark}`);
  });

  test('in an expression of several lines', () => {
    expect(run('self.spec.on &&\n  self.zork')).toBe(
      "ERROR: <input>:2:7: undefined field 'zork'\n |   self.zork\n | ......^",
    );
  });

  test('syntax errors name the place', () => {
    expect(run('1 +')).toMatch(/^ERROR: <input>:1:4: Syntax error: .*\n \| 1 \+\n \| \.\.\.\^$/);
  });

  test.each([
    ['self.spec.labels.z == ""', 'no such key: z'],
    ['self.spec.plain[9] == 1', 'index out of bounds: 9'],
    ['1 / (self.spec.size - 3) == 1', 'division by zero'],
    ['9223372036854775807 + self.spec.size > 0', 'integer overflow'],
    ['self.spec.port.startsWith("8")', 'no such overload'],
    ['quantity("x").isInteger()', expect.stringContaining('quantities must match')],
  ])('evaluating %s', (source, message) => {
    const result = run(source);
    expect(typeof result === 'string' ? result.replace(/^runtime: /, '') : result).toEqual(message);
  });

  test('an error does not count when the other operand decides', () => {
    expect(run('1 / 0 == 1 || true')).toBe(true);
    expect(run('self.spec.labels.z == "" && false')).toBe(false);
  });
});

test('values without a schema are dynamic', () => {
  const dynamic = kubernetesEnvironment().registerVariable('object', 'dyn');
  const expression = compileExpression(
    dynamic,
    'has(object.spec.n) && object.spec.n + 1 == 3 && !has(object.spec.z)',
  );
  if ('error' in expression) throw new Error(expression.error);
  expect(expression.evaluate({ object: dynamicValue({ spec: { n: 2 } }) })).toEqual({ value: true });
});
