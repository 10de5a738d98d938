import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { Struct } from './types.js';
import { equalBySchema } from './values.js';

const ORDERED = [
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
];

/** Kubernetes' list library: isSorted, sum, min, max, indexOf, lastIndexOf. */
export function registerLists(env: Environment): void {
  for (const type of ORDERED) {
    env
      .registerFunction(`list<${type}>.isSorted(): bool`, (list: readonly never[]) =>
        list.every((item, index) => index === 0 || !isLess(item, list[index - 1])),
      )
      .registerFunction(`list<${type}>.min(): ${type}`, (list: readonly never[]) =>
        extreme(list, 'min', (a, b) => isLess(a, b)),
      )
      .registerFunction(`list<${type}>.max(): ${type}`, (list: readonly never[]) =>
        extreme(list, 'max', (a, b) => isLess(b, a)),
      );
  }
  env
    .registerFunction('list<int>.sum(): int', (list: readonly bigint[]) =>
      list.reduce((sum, item) => sum + item, 0n),
    )
    .registerFunction('list<double>.sum(): double', (list: readonly number[]) =>
      list.reduce((sum, item) => sum + item, 0),
    )
    .registerFunction(
      'list<google.protobuf.Duration>.sum(): google.protobuf.Duration',
      (list: readonly Duration[]) => list.reduce((sum, item) => sum.addDuration(item), new Duration(0n)),
    )
    .registerFunction('list<V>.indexOf(V): int', (list: readonly unknown[], item: unknown) =>
      BigInt(list.findIndex((other) => isSame(other, item))),
    )
    .registerFunction('list<V>.lastIndexOf(V): int', (list: readonly unknown[], item: unknown) =>
      BigInt(list.findLastIndex((other) => isSame(other, item))),
    );
}

function isLess(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  return Number(a) < Number(b) || (typeof a === 'bigint' && typeof b === 'bigint' && a < b);
}

/** Reports whether two items of lists are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (a instanceof Struct && b instanceof Struct) return equalBySchema(a.source, b.source, a.schema);
  return a === b || (a instanceof Object && b instanceof Object && !isLess(a, b) && !isLess(b, a));
}

function extreme<T>(list: readonly T[], name: string, better: (a: T, b: T) => boolean): T {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error(`${name} called on empty list`);
  return rest.reduce((best, item) => (better(item, best) ? item : best), first);
}
