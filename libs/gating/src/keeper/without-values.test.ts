import { compileCondition } from '@interlock/cel';
import { describe, expect, test } from '@jest/globals';
import { withoutValues } from './without-values.js';

const object = { data: { password: 'canary', list: ['canary'] } };

describe('the reason why an expression cannot be evaluated', () => {
  test.each([
    ['object.status.phase == "Ready"', 'No such key: status'],
    ['object[object.data.password] == "x"', 'No such key'],
    ['int(object.data.password) > 1', undefined],
    ['double(object.data.password) > 1.0', undefined],
    ['duration(object.data.password) > duration("1s")', undefined],
    ['timestamp(object.data.password) > timestamp("2026-01-01T00:00:00Z")', undefined],
    ['"x".matches(object.data.password + "(")', undefined],
    ['object.data.password', 'its value is not a boolean'],
    ['object.data.password + 1 == 2', undefined],
    ['object.data.list[object.data.password] == "x"', undefined],
    ['object.data[object.data.list[0]]', 'No such key'],
  ])('quotes no value of the object: %s', (source, expected) => {
    const { evaluate } = compileCondition(source, { object: 'dyn' });
    let message = 'it is evaluated';
    try {
      evaluate({ object });
    } catch (error) {
      message = withoutValues(String((error as Error).message), source);
    }
    expect(message).not.toContain('canary');
    if (expected !== undefined) expect(message).toBe(expected);
  });

  test('gives no details of unknown errors', () => {
    expect(withoutValues('Cannot convert canary to a BigInt', 'int(object.data.password) > 1')).toBe(
      'it fails for the values of the object',
    );
  });
});
