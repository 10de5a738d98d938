import { keyString, type GateBinding, type ObjectKey } from '@interlock/api';
import type { FluxObject } from '@interlock/gating';
import type { Cache } from '@interlock/kube';

const nameIndex = 'target name';
const labelIndex = 'target label';
const kindIndex = 'target kind';

type Target = NonNullable<GateBinding['spec']['targets']>[number];

/**
 * Finds the bindings that may name a Flux object by index, so that a change of an object does not cost time for each binding of its
 * namespace.
 */
export class BindingIndex {
  readonly #bindings: Pick<Cache<GateBinding>, 'byIndex' | 'get'>;

  /** Adds indexes to a cache that does not run yet. */
  constructor(bindings: Pick<Cache<GateBinding>, 'addIndex' | 'byIndex' | 'get'>) {
    this.#bindings = bindings;
    const add = (index: string, valueOf: (target: Target) => string | undefined) =>
      bindings.addIndex(index, (binding) =>
        targetsOf(binding).flatMap((target) => {
          const value = valueOf(target);
          return value === undefined ? [] : [within(binding.metadata, target.kind, value)];
        }),
      );
    add(nameIndex, ({ name }) => name);
    /* One label of a selector is enough, because an object must have all of them. */
    add(labelIndex, (target) => labelOf(target)?.join('='));
    add(kindIndex, (target) => ((target.name ?? labelOf(target)) === undefined ? '' : undefined));
  }

  /** Returns the bindings that may name an object in their targets; some may occur twice. */
  naming({ kind, metadata }: FluxObject): GateBinding[] {
    const { labels = {}, name } = metadata;
    const ofLabels = Object.entries(labels).flatMap((label) =>
      this.#bindings.byIndex(labelIndex, within(metadata, kind, label.join('='))),
    );
    return [
      ...this.#bindings.byIndex(nameIndex, within(metadata, kind, name)),
      ...ofLabels,
      ...this.#bindings.byIndex(kindIndex, within(metadata, kind, '')),
    ];
  }

  /** Returns a binding that may hold Flux objects; undefined if there is none of that name. */
  get(key: ObjectKey): GateBinding | undefined {
    const binding = this.#bindings.get(key);
    return binding?.spec.mode === 'CommitStatus' ? undefined : binding;
  }
}

function targetsOf({ spec }: GateBinding): readonly Target[] {
  return spec.mode === 'CommitStatus' ? [] : (spec.targets ?? []);
}

function labelOf({ name, selector }: Target): [string, string] | undefined {
  return name === undefined ? Object.entries(selector?.matchLabels ?? {})[0] : undefined;
}

function within({ namespace }: { namespace?: string | undefined }, kind: string, value: string): string {
  return keyString({ namespace, name: `${kind}/${value}` });
}
