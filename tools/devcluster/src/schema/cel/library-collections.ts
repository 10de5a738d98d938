import type { Environment } from '@marcbachmann/cel-js';
import { Optional } from '@marcbachmann/cel-js';
import { compareValues, equalValues, isPlainObject } from './compare.js';

const ordered = [
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
];

class SetsNamespace {
  readonly name = 'sets';
}
class ListsNamespace {
  readonly name = 'lists';
}

/** Registers cel-go's extensions for lists and sets, and its functions for lists of optional values. */
export function registerCollections(env: Environment): void {
  registerSets(env);
  for (const type of ordered) {
    env.registerFunction(`list<${type}>.sort(): list<${type}>`, (list: readonly unknown[]) =>
      [...list].sort(compareValues),
    );
  }
  env
    .registerType('ListsNamespace', ListsNamespace)
    .registerConstant('lists', 'ListsNamespace', new ListsNamespace())
    .registerFunction('ListsNamespace.range(int): list<int>', (_: ListsNamespace, count: bigint) =>
      Array.from({ length: Number(count > 0n ? count : 0n) }, (_item, index) => BigInt(index)),
    )
    .registerFunction('list<V>.slice(int, int): list<V>', slice)
    .registerFunction('list<V>.reverse(): list<V>', (list: readonly unknown[]) => [...list].reverse())
    .registerFunction('list<V>.distinct(): list<V>', (list: readonly unknown[]) =>
      list.filter((item, index) => list.findIndex((other) => equalValues(other, item)) === index),
    )
    .registerFunction('list<list<V>>.flatten(): list<V>', (list: readonly unknown[]) => list.flat())
    .registerFunction('list<dyn>.flatten(int): list<dyn>', (list: readonly unknown[], depth: bigint) => {
      if (depth < 0n) throw new Error('level must be non-negative');
      return list.flat(Number(depth));
    })
    .registerFunction('list<V>.first(): optional<V>', (list: readonly unknown[]) => optionalItem(list, 0))
    .registerFunction('list<V>.last(): optional<V>', (list: readonly unknown[]) => optionalItem(list, -1))
    .registerFunction('list<optional<V>>.unwrapOpt(): list<V>', unwrap)
    .registerFunction(
      'OptionalNamespace.unwrap(list<optional<V>>): list<V>',
      (_: unknown, list: Optional[]) => unwrap(list),
    )
    .registerFunction('OptionalNamespace.ofNonZeroValue(V): optional<V>', (_: unknown, value: unknown) =>
      isZero(value) ? Optional.none() : Optional.of(value),
    );
}

function registerSets(env: Environment): void {
  const contains = (list: readonly unknown[], items: readonly unknown[]): boolean =>
    items.every((item) => list.some((other) => equalValues(other, item)));
  env
    .registerType('SetsNamespace', SetsNamespace)
    .registerConstant('sets', 'SetsNamespace', new SetsNamespace())
    .registerFunction(
      'SetsNamespace.contains(list<V>, list<V>): bool',
      (_: unknown, a: unknown[], b: unknown[]) => contains(a, b),
    )
    .registerFunction(
      'SetsNamespace.equivalent(list<V>, list<V>): bool',
      (_: unknown, a: unknown[], b: unknown[]) => contains(a, b) && contains(b, a),
    )
    .registerFunction(
      'SetsNamespace.intersects(list<V>, list<V>): bool',
      (_: unknown, a: unknown[], b: unknown[]) => a.some((item) => contains(b, [item])),
    );
}

function slice(list: readonly unknown[], start: bigint, end: bigint): unknown[] {
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) throw new Error(`${call}, negative indexes not supported`);
  if (start > end) throw new Error(`${call}, start index must be less than or equal to end index`);
  if (BigInt(list.length) < end) throw new Error(`${call}, list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function optionalItem(list: readonly unknown[], index: number): Optional {
  return list.length === 0 ? Optional.none() : Optional.of(list.at(index));
}

function unwrap(list: readonly Optional[]): unknown[] {
  return list.filter((item) => item.hasValue()).map((item) => item.value() as unknown);
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  if (isPlainObject(value)) return Object.keys(value).length === 0;
  return value === null || value === '' || value === false || Number(value) === 0;
}
