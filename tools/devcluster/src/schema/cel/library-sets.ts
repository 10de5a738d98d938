import type { Environment } from '@marcbachmann/cel-js';
import { isSame } from './library-lists.js';

class SetsNamespace {
  readonly name = 'sets';
}

type List = readonly unknown[];

/** CEL's set library: sets.contains, sets.equivalent and sets.intersects of lists. */
export function registerSets(env: Environment): void {
  const type = 'cel.SetsNamespace';
  env
    .registerType(type, SetsNamespace)
    .registerConstant('sets', type, new SetsNamespace())
    .registerFunction(`${type}.contains(list<dyn>, list<dyn>): bool`, (_: SetsNamespace, a: List, b: List) =>
      containsAll(a, b),
    )
    .registerFunction(
      `${type}.equivalent(list<dyn>, list<dyn>): bool`,
      (_: SetsNamespace, a: List, b: List) => containsAll(a, b) && containsAll(b, a),
    )
    .registerFunction(
      `${type}.intersects(list<dyn>, list<dyn>): bool`,
      (_: SetsNamespace, a: List, b: List) => b.some((item) => a.some((other) => isSame(other, item))),
    );
}

function containsAll(list: List, items: List): boolean {
  return items.every((item) => list.some((other) => isSame(other, item)));
}
