import type { OverrideState } from '../types.js';

type Target = NonNullable<OverrideState['override']['spec']['targets']>[number];

/**
 * The Close overrides of a gate, indexed by their scope, so that the Close that ends an Open is found without
 * checking each of them.
 */
export class Closings {
  readonly #all: readonly OverrideState[];
  readonly #unscoped: readonly OverrideState[];
  readonly #byTarget = new Map<string, OverrideState[]>();

  /**
   * Indexes Close overrides.
   *
   * @param closing Close overrides, the oldest request first
   */
  constructor(closing: readonly OverrideState[]) {
    this.#all = closing;
    this.#unscoped = closing.filter(({ override }) => override.spec.targets === undefined);
    for (const state of closing) {
      for (const key of new Set((state.override.spec.targets ?? []).map(keyOf))) {
        const known = this.#byTarget.get(key);
        if (known === undefined) this.#byTarget.set(key, [state]);
        else known.push(state);
      }
    }
  }

  /** Returns the first Close during the time of an Open whose scope overlaps; undefined if there is none. */
  firstFor({ override, requestedAt, endsAt = Infinity }: OverrideState): OverrideState | undefined {
    const { targets } = override.spec;
    const lists =
      targets === undefined
        ? [this.#all]
        : [this.#unscoped, ...targets.map((target) => this.#byTarget.get(keyOf(target)) ?? [])];
    return lists
      .flatMap((list) => firstFrom(list, requestedAt) ?? [])
      .filter((close) => close.requestedAt < endsAt)
      .reduce<OverrideState | undefined>(
        (first, close) => (first === undefined || close.requestedAt < first.requestedAt ? close : first),
        undefined,
      );
  }
}

function keyOf({ kind, name }: Target): string {
  return `${kind}/${name}`;
}

/** Returns the first override of a list that was requested at `from` or later. */
function firstFrom(list: readonly OverrideState[], from: number): OverrideState | undefined {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.requestedAt ?? Infinity) < from) low = middle + 1;
    else high = middle;
  }
  return list[low];
}
