import { describe, expect, it } from '@jest/globals';
import type { Schema } from '../../types.js';
import type { Checked } from '../check/checker.js';
import { Declarations } from '../check/declarations.js';
import { DeclaredTypes, type DeclaredType } from '../declared-type.js';
import { dynamicEngine, dynamicEnvironment } from '../environment.js';
import { compileExpression } from '../expression.js';
import { dynamicValue } from '../values.js';
import { estimateCost } from './estimate.js';
import { Meter, type Metered } from './meter.js';

const environment = dynamicEnvironment(['object']);
const object = dynamicValue({
  name: 'a name of some thirty characters',
  numbers: [1, 2, 3],
  labels: { a: 'b' },
});

function meterOf(source: string): Meter {
  const compiled = compileExpression(environment, source);
  if ('error' in compiled) throw new Error(compiled.error);
  return new Meter(compiled);
}

function run(source: string, limit = 1_000_000): Metered {
  return meterOf(source).evaluate({ object }, limit);
}

const text = 'some text of thirty characters';
const self = dynamicValue({ text, texts: [text, text], numbers: [1, 2, 3], labels: { k: 'v' } });
const string: Schema = { type: 'string', enum: [text] };
const schema: Schema = {
  type: 'object',
  properties: {
    text: string,
    texts: { type: 'array', maxItems: 2, items: string },
    numbers: { type: 'array', maxItems: 3, items: { type: 'integer' } },
    labels: { type: 'object', maxProperties: 1, additionalProperties: { type: 'string', enum: ['v'] } },
  },
};

/** Compiles an expression over `self`, whose values have the sizes that the schema states. */
function typed(source: string): { checked: Checked; meter: Meter; declared: DeclaredType } {
  const declared = new DeclaredTypes().of(schema);
  if (declared === undefined) throw new Error('an object has a type');
  const declarations = new Declarations([['self', declared.typeNamed('self')]]);
  const compiled = compileExpression({ engine: dynamicEngine(['self']), declarations }, source);
  if ('error' in compiled) throw new Error(compiled.error);
  return { checked: compiled.checked, meter: new Meter(compiled), declared };
}

describe('Meter', () => {
  it.each<[string, number]>([
    ['true', 0],
    ['object.name', 2],
    ["object.labels['a']", 3],
    ['has(object.name)', 1],
    ["object.name == 'x'", 3],
    ["object.name + 'x' == 'y'", 7],
    ["object.name.startsWith('a')", 6],
    ["object.name.contains('a name of ')", 6],
    ["object.name.matches('a.*b')", 6],
    ['2 in object.numbers', 5],
    ['[1, 2].size() == 2', 2],
    ['[object.name].size() == 1', 14],
    ["{'a': {'b': [1]}}.size() == 1", 2],
    ["{'a': object.name}.size() == 1", 34],
    ['object.numbers.size() in [1, -2]', 3],
    ["int('3') == 3", 1],
    ['object.numbers.all(n, n > 0)', 2 + 3 * (3 + 2) + 1],
    ['object.numbers.exists(n, n == 2)', 2 + 2 * (4 + 2) + 1],
    ['object.numbers.exists_one(n, n == 2)', 2 + 3 * (1 + 2) + 1 + 2],
    ['object.numbers.map(n, n)', 2 + 3 * (12 + 1) + 1],
    ['object.numbers.filter(n, n > 1)', 2 + 3 * 2 + 1 + 2 * 13 + 1],
    ['true || object.numbers.all(n, n > 0)', 0],
    ["object.name == 'x' ? object.numbers.size() : 0", 3],
  ])('counts the cost of %s', (source, cost) => {
    expect(run(source)).toMatchObject({ cost });
  });

  it.each([
    'self.numbers.all(i, i > 0)',
    'self.numbers.exists(i, i > 3)',
    'self.numbers.exists_one(i, i > 0)',
    'self.numbers.all(i, v, i >= 0 && v > 0)',
    'self.numbers.all(a, self.numbers.all(b, self.texts.all(t, a + b > 0 && t == self.text)))',
    "self.text.contains('thirty')",
    'self.text.startsWith(self.text) && self.text.endsWith(self.text)',
    "self.text.matches('s.*x')",
    "self.text + ' and more' == self.text",
    "self.text.lowerAscii() == 'text'",
    "self.text.split(' ').size() == 3",
    'self.numbers.max() == 3 && self.numbers.isSorted()',
    '7 in self.numbers',
    'self.text in self.texts',
    'self.labels.all(key, self.text == self.text)',
    "self.labels['k'] == 'v'",
    'has(self.text) ? size(self.text) > 1 : false',
    'isQuantity(self.text) || isIP(self.text) || self.text != self.text',
    "quantity('1Gi').isGreaterThan(quantity('1Mi'))",
    "url('https://a.b/c').getHost() == 'a.b'",
    "cidr('10.0.0.0/8').containsIP('10.0.0.1')",
    'sets.contains(self.numbers, self.numbers)',
    '[self.numbers, self.numbers].flatten().size() == 6',
  ])('counts the estimated cost of %s, which is evaluated completely', (source) => {
    const { checked, meter, declared } = typed(source);
    const { cost } = meter.evaluate({ self }, 1_000_000);
    expect(cost).toBe(estimateCost(checked, declared));
  });

  it('ends an expression that exceeds its cost limit', () => {
    const loop = 'object.numbers.all(a, object.numbers.all(b, object.numbers.all(c, a + b + c > 0)))';
    expect(run(loop, 1000)).toMatchObject({ value: true });
    expect(run(loop, 100)).toMatchObject({ error: 'operation cancelled: actual cost limit exceeded' });
  });

  it('counts each evaluation separately', () => {
    const meter = meterOf('object.numbers.all(n, n > 0)');
    const [first, second] = [meter.evaluate({ object }, 100), meter.evaluate({ object }, 100)];
    expect(second).toEqual(first);
  });
});
