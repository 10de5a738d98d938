import {
  GateBinding,
  ifFound,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
  type FluxKind,
  type KubeObject,
} from '@interlock/api';
import {
  bindsObject,
  bindsStrategy,
  flux,
  promotionsOf,
  referenceString,
  sourceOf,
  trimFluxObject,
  virtualBindingOf,
  type FluxObject,
  type FluxObjects,
  type FluxReference,
  type Promotion,
} from '@interlock/gating';
import { loadAll } from '../load.js';
import type { Session } from '../session.js';

/** A release, its chart, and the repository of the chart. */
const maxDepth = 2;

/** A binding that applies to an object. */
export interface Bound {
  /** `GateBinding/<name>`, with the namespace if it differs from the namespace of the object; or the annotation of a source. */
  name: string;
  binding: GateBinding;
  /** An error in the annotation, because of which the object is held. */
  problem?: string | undefined;
  /** The commits that wait to be promoted, in mode CommitStatus. */
  promotions?: readonly Promotion[] | undefined;
}

/** Returns the bindings that apply to a Flux object, with the same rules as the gate-controller. */
async function bindingsOfObject(session: Session, raw: KubeObject): Promise<Bound[]> {
  const object = trimFluxObject(raw);
  const objects = await withSources(session, object);
  const namespaces = [...new Set(objects.all.map(({ metadata }) => metadata.namespace ?? ''))];
  const bindings = (
    await Promise.all(namespaces.map((namespace) => loadAll(session, GateBinding, { namespace })))
  ).flat();
  const bound = bindings
    .filter((binding) => isLive(binding) && bindsObject(binding, object, objects))
    .map((binding): Bound => ({ name: nameOf(binding, session.namespace), binding }));
  const virtual = virtualBindingOf(object);
  if (virtual === undefined) return bound;
  const { binding, problem } = virtual;
  return [...bound, { name: 'annotation gating.toolkit.fluxcd.io/gates', binding, problem }];
}

/** Returns the bindings that hold promotions of a strategy, with the same rules as the gate-controller. */
async function bindingsOfStrategy(session: Session, strategy: PromotionStrategy): Promise<Bound[]> {
  const scope = { namespace: session.namespace };
  const [bindings, proposedCommits, revertCommits] = await Promise.all([
    loadAll(session, GateBinding, scope),
    loadAll(session, ProposedCommit, scope),
    loadAll(session, RevertCommit, scope),
  ]);
  const resources = { strategies: [strategy], proposedCommits, revertCommits };
  return bindings
    .filter((binding) => isLive(binding) && binding.spec.mode === 'CommitStatus')
    .filter((binding) => bindsStrategy(binding, strategy, proposedCommits))
    .map((binding) => ({
      name: nameOf(binding, session.namespace),
      binding,
      promotions: promotionsOf(binding, resources).filter(
        (promotion) => promotion.strategy === strategy.metadata.name && promotion.waits,
      ),
    }));
}

/** Returns the bindings that apply to an object. */
export function bindingsOf(session: Session, object: KubeObject): Promise<Bound[]> {
  return object.kind === PromotionStrategy.kind
    ? bindingsOfStrategy(session, object as PromotionStrategy)
    : bindingsOfObject(session, object);
}

function isLive({ metadata }: GateBinding): boolean {
  return metadata.deletionTimestamp === undefined;
}

function nameOf({ metadata }: GateBinding, namespace: string): string {
  return metadata.namespace === namespace
    ? `GateBinding/${metadata.name}`
    : `GateBinding/${metadata.namespace ?? ''}/${metadata.name}`;
}

/** Loads the object's source and the source of that source, through which a binding may apply to the object. */
async function withSources(
  session: Session,
  object: FluxObject,
): Promise<FluxObjects & { all: readonly FluxObject[] }> {
  const all = [object];
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const reference = sourceOf(all.at(-1) ?? object);
    const source = reference && (await loadFluxObject(session, reference));
    if (source === undefined) break;
    all.push(source);
  }
  const byReference = new Map(all.map((one) => [referenceString({ ...one.metadata, kind: one.kind }), one]));
  return {
    all,
    get: ({ kind, namespace, name }) => byReference.get(referenceString({ kind, name, namespace })),
    list: (kind, namespace) =>
      all.filter(
        (one) => one.kind === kind && (namespace === undefined || one.metadata.namespace === namespace),
      ),
  };
}

async function loadFluxObject(
  { client, signal }: Session,
  { kind, name, namespace }: FluxReference,
): Promise<FluxObject | undefined> {
  const known = Object.hasOwn(flux, kind) ? flux[kind as FluxKind] : undefined;
  if (known === undefined) return undefined;
  const key = { name, namespace };
  const found = await ifFound(client.get<KubeObject>(known, key, { signal }));
  return found && trimFluxObject(found);
}
