import { expect } from 'expect';
import { define, objectOf, text, whole, type Cases, type Fields } from './definition.js';

const bounded = { ...text, maxLength: 100 };
const properties: Fields = {
  s: bounded,
  n: whole,
  d: { type: 'number' },
  yes: { type: 'boolean' },
  none: { ...text, nullable: true },
  list: { type: 'array', maxItems: 10, items: bounded },
  nums: { type: 'array', maxItems: 10, items: whole },
  map: { type: 'object', maxProperties: 10, additionalProperties: whole },
  part: objectOf({ a: whole }),
};
const values: Fields = {
  s: 'Hello World',
  n: 7,
  d: 1.5,
  yes: true,
  list: ['b', 'a', 'b'],
  nums: [1, 2, 3],
  map: { x: 1, y: 2 },
  part: { a: 1 },
};

/**
 * Returns a case that creates an object for which all expressions hold. As a control, another field has the negations
 * as rules, and the case checks that an object with this field is refused for each of them.
 */
function hold(...expressions: string[]): Cases[string] {
  return async (scope) => {
    const rulesOf = (write: (expression: string) => string): Fields => ({
      'x-kubernetes-validations': expressions.map((message) => ({ rule: write(message), message })),
    });
    const positive = objectOf(
      properties,
      rulesOf((expression) => expression),
    );
    const negative = objectOf(
      properties,
      rulesOf((expression) => `!(${expression})`),
    );
    const widgets = await define(scope, { spec: objectOf({ positive, negative }) });
    await widgets.make('a', { spec: { positive: values } });
    const causes = await widgets.refused({ spec: { negative: values } });
    expect(causes.map(({ message }) => message)).toEqual(
      expressions.map((message) => `Invalid value: ${message}`),
    );
  };
}

/** Rules about the expressions of CEL and its libraries. */
export const expressionCases: Cases = {
  'evaluates operators, ternaries and has() in rules': hold(
    'self.n + 3 == 10 && self.n / 2 == 3 && self.n % 4 == 3 && -self.n == -7',
    'self.d * 2.0 == 3.0 && self.n < 8 && self.n != 6',
    "self.yes ? self.n == 7 : self.s == ''",
    'has(self.s) && !has(self.none) && has(self.part.a)',
    "'a' in self.list && !('c' in self.list) && 'x' in self.map",
    "self.list[0] == 'b' && self.map['y'] == 2 && self.map.x == 1",
    'self.nums == [1, 2, 3] && self.nums + [4] == [1, 2, 3, 4]',
    'size(self.list) == 3 && self.map.size() == 2 && size(self.s) == 11',
  ),

  'evaluates the macros of CEL in rules': hold(
    'self.nums.all(x, x > 0) && self.nums.exists(x, x == 2) && self.nums.exists_one(x, x > 2)',
    'self.nums.map(x, x * 2) == [2, 4, 6] && self.nums.filter(x, x > 1) == [2, 3]',
    'self.nums.map(x, x > 1, x * 2) == [4, 6]',
    "self.map.all(k, self.map[k] < 3) && self.map.exists(k, k == 'y')",
  ),

  'evaluates quantifiers with two variables in rules': hold(
    'self.nums.all(i, v, v == i + 1) && !self.nums.all(i, v, v == i)',
    "self.map.exists(k, v, k == 'y' && v == 2) && !self.map.exists(k, v, v == 3)",
    'self.nums.existsOne(i, v, i == 1 && v == 2) && !self.nums.existsOne(i, v, v > 1)',
  ),

  'evaluates type checks and conversions in rules': hold(
    'type(self.n) == int && type(self.s) == string && type(self.d) == double && type(self.yes) == bool',
    'type(self.list) == list && type(self.map) == map',
    "int('5') == 5 && string(self.n) == '7' && double('1.5') == self.d && bool('true')",
    'int(1.9) == 1 && double(self.n) == 7.0 && uint(3) == 3u',
    "dyn(self.n) == 7 && string(b'abc') == 'abc' && bytes('a') == b'a'",
  ),

  'evaluates the string library in rules': hold(
    "self.s.startsWith('Hello') && self.s.endsWith('World') && self.s.contains('lo W')",
    "self.s.lowerAscii() == 'hello world' && self.s.upperAscii() == 'HELLO WORLD'",
    "self.s.replace('o', '0') == 'Hell0 W0rld' && self.s.replace('o', '0', 1) == 'Hell0 World'",
    "self.s.split(' ') == ['Hello', 'World'] && 'a,b,c'.split(',', 2) == ['a', 'b,c']",
    "self.list.join('-') == 'b-a-b' && self.list.join() == 'bab'",
    "self.s.substring(6) == 'World' && self.s.substring(0, 5) == 'Hello' && self.s.charAt(4) == 'o'",
    "self.s.indexOf('o') == 4 && self.s.lastIndexOf('o') == 7 && self.s.indexOf('o', 5) == 7",
    "'  x '.trim() == 'x' && 'x'.size() == 1",
  ),

  'evaluates the regular expression library in rules': hold(
    "self.s.matches('^Hello') && self.s.matches('World') && !self.s.matches('^World')",
    "self.s.find('[A-Z][a-z]+') == 'Hello' && self.s.find('[0-9]') == ''",
    "self.s.findAll('o') == ['o', 'o'] && self.s.findAll('[A-Z]', 1) == ['H']",
  ),

  'evaluates the list library in rules': hold(
    'self.nums.isSorted() && !self.list.isSorted() && self.nums.sum() == 6',
    "self.nums.min() == 1 && self.nums.max() == 3 && self.list.min() == 'a'",
    "self.list.indexOf('b') == 0 && self.list.lastIndexOf('b') == 2 && self.list.indexOf('c') == -1",
  ),

  'evaluates the set library in rules': hold(
    "sets.contains(self.list, ['a']) && !sets.contains(self.list, ['c'])",
    "sets.equivalent(self.list, ['a', 'b']) && !sets.equivalent(self.list, ['a'])",
    "sets.intersects(self.list, ['a', 'z']) && !sets.intersects(self.list, ['z'])",
  ),

  'evaluates the URL library in rules': hold(
    "isURL('https://user@example.com:8080/a/b?x=1&x=2#f') && !isURL('../a') && !isURL(':')",
    "url('https://example.com:8080/a').getScheme() == 'https' && url('/a').getScheme() == ''",
    "url('https://example.com:8080/a').getHost() == 'example.com:8080'",
    "url('https://example.com:8080/a').getHostname() == 'example.com'",
    "url('https://example.com:8080/a').getPort() == '8080' && url('https://example.com').getPort() == ''",
    "url('https://example.com/a%20b').getEscapedPath() == '/a%20b'",
    "url('https://example.com/?x=1&x=2&y=3').getQuery() == {'x': ['1', '2'], 'y': ['3']}",
  ),

  'evaluates the IP address library in rules': hold(
    "isIP('10.0.0.1') && isIP('fd00::1') && !isIP('10.0.0.256')",
    "ip('10.0.0.1').family() == 4 && ip('fd00::1').family() == 6 && string(ip('10.0.0.1')) == '10.0.0.1'",
    "ip('127.0.0.1').isLoopback() && ip('0.0.0.0').isUnspecified() && ip('8.8.8.8').isGlobalUnicast()",
    "ip('224.0.0.1').isLinkLocalMulticast() && ip('169.254.1.1').isLinkLocalUnicast()",
    "ip.isCanonical('fd00::1') && !ip.isCanonical('fd00:0::1') && ip('fd00::1') == ip('fd00:0::1')",
  ),

  'evaluates the CIDR library in rules': hold(
    "isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0') && cidr('10.0.0.0/8').prefixLength() == 8",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
    "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').ip() == ip('10.0.0.0')",
  ),

  'evaluates the quantity library in rules': hold(
    "isQuantity('1.5Gi') && !isQuantity('1.5 G') && quantity('1k') == quantity('1000')",
    "quantity('200M').isGreaterThan(quantity('100M')) && quantity('1Ki').isLessThan(quantity('1Mi'))",
    "quantity('1k').compareTo(quantity('1000')) == 0 && quantity('1').compareTo(quantity('2')) == -1",
    "quantity('50k').asInteger() == 50000 && quantity('50k').isInteger() && !quantity('0.5').isInteger()",
    "quantity('1k').add(quantity('500')) == quantity('1500') && quantity('1k').sub(1) == quantity('999')",
    "sign(quantity('-1')) == -1 && quantity('500m').asApproximateFloat() == 0.5",
  ),

  'evaluates optional values in rules': hold(
    "self.?none.orValue('x') == 'x' && self.?n.orValue(0) == 7",
    "self.map[?'x'].hasValue() && !self.map[?'z'].hasValue() && self.list[?9].orValue('-') == '-'",
    'optional.of(1).value() == 1 && !optional.none().hasValue() && self.?part.?a.orValue(0) == 1',
    "self.?n.optMap(x, x + 1).value() == 8 && optional.ofNonZeroValue('').or(optional.of('y')).value() == 'y'",
  ),

  'evaluates the format library in rules': hold(
    "!format.dns1123Label().validate('my-name').hasValue() && format.dns1123Label().validate('My_Name').hasValue()",
    "!format.dns1123Subdomain().validate('a.b').hasValue() && format.uuid().validate('x').hasValue()",
    "!format.named('uri').value().validate('https://example.com').hasValue() && !format.named('odd').hasValue()",
    "format.qualifiedName().validate('a/b/c').hasValue() && !format.labelValue().validate('x').hasValue()",
  ),

  'evaluates timestamps and durations in rules': hold(
    "timestamp('2030-01-02T03:04:05Z').getDayOfMonth() == 1 && timestamp('2030-01-02T03:04:05Z').getMonth() == 0",
    "timestamp('2030-01-02T03:04:05Z') + duration('1h') == timestamp('2030-01-02T04:04:05Z')",
    "timestamp('2030-01-02T00:00:00Z') - timestamp('2030-01-01T00:00:00Z') == duration('24h')",
    "duration('90s').getMinutes() == 1 && duration('1h') > duration('59m')",
  ),
};
