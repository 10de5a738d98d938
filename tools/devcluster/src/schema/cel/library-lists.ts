import type { Environment } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { compareValues, equalValues } from './compare.js';

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

/** Registers Kubernetes' list library: isSorted, sum, min, max, indexOf, lastIndexOf. */
export function registerLists(env: Environment): void {
  for (const type of ordered) {
    env
      .registerFunction(`list<${type}>.isSorted(): bool`, (list: readonly never[]) =>
        list.every((item, index) => index === 0 || compareValues(item, list[index - 1]) >= 0),
      )
      .registerFunction(`list<${type}>.min(): ${type}`, (list: readonly never[]) =>
        extreme(list, 'min', (a, b) => compareValues(a, b) < 0),
      )
      .registerFunction(`list<${type}>.max(): ${type}`, (list: readonly never[]) =>
        extreme(list, 'max', (a, b) => compareValues(a, b) > 0),
      );
  }
  env
    .registerFunction('list<int>.sum(): int', (list: readonly bigint[]) =>
      list.reduce((sum, item) => sum + item, 0n),
    )
    .registerFunction(
      'list<uint>.sum(): uint',
      (list: readonly UnsignedInt[]) => new UnsignedInt(list.reduce((sum, item) => sum + item.valueOf(), 0n)),
    )
    .registerFunction('list<double>.sum(): double', (list: readonly number[]) =>
      list.reduce((sum, item) => sum + item, 0),
    )
    .registerFunction(
      'list<google.protobuf.Duration>.sum(): google.protobuf.Duration',
      (list: readonly Duration[]) => list.reduce((sum, item) => sum.addDuration(item), new Duration(0n)),
    )
    .registerFunction('list<V>.indexOf(V): int', (list: readonly unknown[], item: unknown) =>
      BigInt(list.findIndex((other) => equalValues(other, item))),
    )
    .registerFunction('list<V>.lastIndexOf(V): int', (list: readonly unknown[], item: unknown) =>
      BigInt(list.findLastIndex((other) => equalValues(other, item))),
    );
}

function extreme<T>(list: readonly T[], name: string, better: (a: T, b: T) => boolean): T {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, item) => (better(item, best) ? item : best), first);
}
