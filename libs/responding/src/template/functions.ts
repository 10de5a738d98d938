import { isList, printValue, quoteText, type Value } from './print.js';

/** Calls the function. @throws Error with the problem of the arguments. */
type TemplateFunction = (args: readonly Value[]) => Value;

const functions: Readonly<Record<string, TemplateFunction>> = {
  eq: (args) => {
    const [first, ...others] = expectAtLeast(2, args);
    return others.some((other) => isSame(first, other));
  },
  ne: (args) => {
    const [first, second] = expect(2, args);
    return !isSame(first, second);
  },
  not: (args) => !isTrue(expect(1, args)[0]),
  len: (args) => {
    const [value] = expect(1, args);
    if (typeof value === 'string') return Buffer.byteLength(value);
    if (typeof value === 'object' && value !== null) return Object.keys(value).length;
    throw new Error(`len does not support ${typeName(value)}`);
  },
  index: (args) => {
    const [value, ...keys] = expectAtLeast(1, args);
    return keys.reduce<Value>(elementOf, value ?? null);
  },
  printf: (args) => {
    const [format, ...values] = expectAtLeast(1, args);
    return formatted(text(format), values);
  },
  join: (args) => {
    const [separator, list] = expect(2, args);
    if (!isList(list)) throw new Error(`join needs a separator and a list, not ${typeName(list)}`);
    return list.map(printValue).join(text(separator));
  },
  upper: (args) => text(expect(1, args)[0]).toUpperCase(),
  lower: (args) => text(expect(1, args)[0]).toLowerCase(),
  trunc: (args) => {
    const [length, value] = expect(2, args);
    if (typeof length !== 'number') throw new Error('trunc needs a number and a text');
    const characters = [...text(value)];
    return (length < 0 ? characters.slice(length) : characters.slice(0, length)).join('');
  },
};

/** Evaluates `and` and `or`, whose further arguments are evaluated only if needed. */
export const functionNames: ReadonlySet<string> = new Set(['and', 'or', ...Object.keys(functions)]);

/**
 * Returns the result of a function other than `and` and `or`.
 * @throws Error with the problem of the arguments.
 */
export function callFunction(name: string, args: readonly Value[]): Value {
  const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (called === undefined) throw new Error(`there is no function ${name}`);
  return called(args);
}

/** Returns whether a value counts as true: neither false, 0, nothing, nor empty. */
export function isTrue(value: Value | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Returns the name of the type of a value, for messages. */
export function typeName(value: Value | undefined): string {
  if (value === null || value === undefined) return 'nothing';
  if (isList(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

function expect(count: number, args: readonly Value[]): readonly Value[] {
  if (args.length === count) return args;
  throw new Error(`it needs ${count} argument${count === 1 ? '' : 's'}, not ${args.length}`);
}

function expectAtLeast(count: number, args: readonly Value[]): readonly Value[] {
  if (args.length >= count) return args;
  throw new Error(`it needs ${count} arguments or more, not ${args.length}`);
}

function text(value: Value | undefined): string {
  if (typeof value === 'string') return value;
  throw new Error(`it needs a text, not ${typeName(value)}`);
}

function isSame(a: Value | undefined, b: Value | undefined): boolean {
  if (typeof a === 'object' || typeof a !== typeof b)
    throw new Error(`${typeName(a)} and ${typeName(b)} cannot be compared`);
  return a === b;
}

function elementOf(value: Value, key: Value): Value {
  if (isList(value)) {
    const element = typeof key === 'number' ? value[key] : undefined;
    if (element !== undefined) return element;
    throw new Error(`the list has ${value.length} items; there is no item ${printValue(key)}`);
  }
  if (typeof value !== 'object' || value === null)
    throw new Error(`index does not support ${typeName(value)}`);
  if (typeof key !== 'string') throw new Error(`the keys of a map are texts, not ${typeName(key)}`);
  return Object.hasOwn(value, key) ? (value[key] ?? '') : '';
}

function formatted(format: string, values: readonly Value[]): string {
  let used = 0;
  const result = format.replace(/%(.?)/gsu, (_, verb: string) => {
    if (verb === '%') return '%';
    const value = values[used];
    used += 1;
    if (value === undefined) throw new Error(`%${verb} has no argument`);
    if (verb === 'v') return printValue(value);
    if (verb === 's' && typeof value === 'string') return value;
    if (verb === 'q' && typeof value === 'string') return quoteText(value);
    if (verb === 'd' && Number.isInteger(value)) return String(value);
    if (!'sqd'.includes(verb))
      throw new Error(`%${verb} is not supported; the supported verbs are %s, %d, %q, %v and %%`);
    throw new Error(`%${verb} does not support ${typeName(value)}`);
  });
  if (used < values.length)
    throw new Error(`the format has ${used} verbs, but there are ${values.length} arguments`);
  return result;
}
