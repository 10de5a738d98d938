import {
  annotations,
  apiVersionOf,
  fieldManagers,
  fluxKinds,
  GateBinding,
  matchesLabels,
  typeMeta,
  type FluxKind,
  type GateState,
} from '@interlock/api';
import { flux, type FluxObject, type FluxObjects, trimFluxObject } from '@interlock/gating';
import { MemoryCache } from '@interlock/kube/testing';
import type { BindingVerdict } from '../../actuator.js';
import { BindingIndex } from '../binding-index.js';
import type { Claim } from '../claim.js';
import { FluxIndex } from '../flux-index.js';

const namespace = 'apps';

/** Returns the part of a status that states the revision. */
function taken(kind: FluxKind, revision: string): object {
  if (kind === 'Kustomization') return { lastAppliedRevision: revision };
  if (kind === 'HelmRelease') return { history: [{ status: 'deployed', chartVersion: revision }] };
  return { artifact: { revision } };
}

/** Returns an entry of managedFields for fields of the spec. */
export function managed(manager: string, operation: 'Apply' | 'Update', fields: object): object {
  return { manager, operation, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': fields } };
}

export const ours = (fields: object): object => managed(fieldManagers.gateController, 'Apply', fields);

interface ObjectParts {
  kind?: FluxKind;
  name?: string;
  namespace?: string;
  labels?: Record<string, string>;
  notes?: Record<string, string> | undefined;
  generation?: number;
  spec?: object;
  /** Defaults to the generation. */
  observed?: number;
  revision?: string;
  managedFields?: object[];
}

/** Returns a Flux object in the form that the cache has. */
export function fluxObject(parts: ObjectParts = {}): FluxObject {
  const { kind = 'GitRepository', name = 'shop', labels, notes, generation = 2, managedFields = [] } = parts;
  const { spec = { url: 'https://git.example/shop', ref: { branch: 'main' } }, revision } = parts;
  return trimFluxObject({
    apiVersion: apiVersionOf(flux[kind]),
    kind,
    metadata: {
      name,
      namespace: parts.namespace ?? namespace,
      uid: `uid-${name}`,
      generation,
      managedFields,
      ...(labels && { labels }),
      ...(notes && { annotations: notes }),
    },
    spec,
    status: {
      observedGeneration: parts.observed ?? generation,
      ...(revision !== undefined && taken(kind, revision)),
    },
  });
}

export const since = '2026-11-20T00:00:00Z';

/** Returns the annotations of an object that the bindings hold. */
export function held(revision?: string, by = 'freeze', reason = 'freeze: closed'): Record<string, string> {
  return {
    [annotations.heldBy]: by,
    [annotations.heldSince]: since,
    [annotations.holdReason]: reason,
    ...(revision !== undefined && { [annotations.heldRevision]: revision }),
  };
}

/** Returns the claim of one binding. */
export function claim(state: GateState | undefined, parts: Partial<Claim> = {}): Claim {
  const verdict = state && { state, message: state.toLowerCase() };
  const settled = verdict !== undefined;
  return { name: 'freeze', mode: 'Suspend', approved: [], settled, verdict, ...parts };
}

/** Returns a binding of the namespace of {@link fluxObject}. */
export function binding(
  spec: Partial<GateBinding['spec']> = {},
  name = 'freeze',
  of = namespace,
): GateBinding {
  return {
    ...typeMeta(GateBinding),
    metadata: { name, namespace: of },
    spec: {
      targets: [{ kind: 'GitRepository' }],
      refs: [{ name: 'change-freeze' }],
      mode: 'Suspend',
      scope: 'Updates',
      ...spec,
    },
  };
}

/** Returns a verdict that is the same for all targets. */
export function verdict(state: GateState, approved: readonly string[] = []): BindingVerdict {
  const own = { state, message: state.toLowerCase() };
  return { ...own, gates: [], mayRelease: true, of: () => own, approvedRevisions: () => approved };
}

/** Returns objects in the same way as the caches. */
export function objectsOf(...all: readonly FluxObject[]): FluxObjects {
  return {
    list: (kind, of, labels = {}) =>
      all.filter(
        (object) =>
          object.kind === kind &&
          (of === undefined || object.metadata.namespace === of) &&
          matchesLabels({ matchLabels: labels }, object.metadata.labels),
      ),
    get: ({ kind, namespace: of, name }) =>
      all.find(
        ({ kind: its, metadata }) => its === kind && metadata.namespace === of && metadata.name === name,
      ),
  };
}

/** Returns the index of objects. */
export function relatedIn(...all: readonly FluxObject[]): FluxIndex {
  const caches = fluxKinds.map(
    (kind) => new MemoryCache(flux[kind], ...all.filter((object) => object.kind === kind)),
  );
  return new FluxIndex(caches);
}

/** Returns the index of bindings. */
export function indexOfBindings(...bindings: readonly GateBinding[]): BindingIndex {
  const cache = new MemoryCache<GateBinding>(GateBinding, ...bindings);
  return new BindingIndex(cache);
}
