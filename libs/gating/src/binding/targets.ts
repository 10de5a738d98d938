import { keyString, matchesLabels, type FluxKind, type GateBinding } from '@interlock/api';
import { isApplier, sourceOf, type FluxObject } from './flux-object.js';

/** Access to cached Flux objects. */
export interface FluxObjects {
  /** Returns the objects of a kind. If labels are given, those that do not have all of them may be left out. */
  list(kind: FluxKind, namespace?: string, labels?: Readonly<Record<string, string>>): readonly FluxObject[];
  get(reference: { kind: string; namespace?: string | undefined; name: string }): FluxObject | undefined;
}

type Target = NonNullable<GateBinding['spec']['targets']>[number];

/** Orders sources before the objects that apply their content. */
const kindOrder: readonly FluxKind[] = [
  'GitRepository',
  'OCIRepository',
  'Bucket',
  'HelmRepository',
  'HelmChart',
  'Kustomization',
  'HelmRelease',
];

/** Returns whether a binding names an object directly. */
function namesObject(binding: GateBinding, object: FluxObject): boolean {
  const { namespace } = binding.metadata;
  return (
    namespace === object.metadata.namespace &&
    (binding.spec.targets ?? []).some((target) => matchesTarget(target, object))
  );
}

/**
 * Returns whether a binding applies to an object: it names the object, or names its source as `scope: All` and Helm OCI
 * repositories require.
 */
export function bindsObject(binding: GateBinding, object: FluxObject, objects: FluxObjects): boolean {
  if (namesObject(binding, object)) return true;
  return followedSources(binding, object, objects).some((source) => bindsObject(binding, source, objects));
}

/** Returns the existing sources through which a binding may apply to an object. */
export function sourcesOf(object: FluxObject, objects: FluxObjects): FluxObject[] {
  /* An applier may use a HelmChart, which uses another source. */
  const source = directSource(object, objects);
  const origin = source && directSource(source, objects);
  return [source, origin].filter((one) => one !== undefined);
}

/**
 * Returns the sources through which a binding may apply to an object as well. Nothing is fetched for a HelmRepository of
 * type oci itself; its HelmCharts are fetched instead (Flux: HelmRepository, "Helm OCI repository"). A HelmRelease may name a
 * HelmChart, whose content comes from another source.
 */
function followedSources({ spec }: GateBinding, object: FluxObject, objects: FluxObjects): FluxObject[] {
  const isChart = object.kind === 'HelmChart';
  if (!isChart && (spec.scope !== 'All' || !isApplier(object.kind))) return [];
  const source = directSource(object, objects);
  if (source === undefined) return [];
  if (isChart) return isOCIRepositoryOfHelm(source) ? [source] : [];
  const origin = source.kind === 'HelmChart' ? directSource(source, objects) : undefined;
  return origin === undefined ? [source] : [source, origin];
}

function directSource(object: FluxObject, objects: FluxObjects): FluxObject | undefined {
  const reference = sourceOf(object);
  const source = reference && objects.get(reference);
  return source === undefined || isApplier(source.kind) ? undefined : source;
}

export function isOCIRepositoryOfHelm(source: FluxObject | undefined): boolean {
  return source?.kind === 'HelmRepository' && source.spec.type === 'oci';
}

/**
 * Returns the objects that a binding applies to, in a stable order. The objects of other namespaces are not read, except for those
 * that use its sources, and neither are those that no name or label of a target refers to: a cluster or a namespace may have
 * thousands, and this is called for each reconcile of a binding.
 *
 * @param takersOf returns the objects that use a source directly
 */
export function boundBy(
  binding: GateBinding,
  objects: FluxObjects,
  takersOf: (source: FluxObject) => readonly FluxObject[],
): FluxObject[] {
  const { spec } = binding;
  const kinds = new Set((spec.targets ?? []).map(({ kind }) => kind));
  const named = kindOrder
    .filter((kind) => kinds.has(kind))
    .flatMap((kind) => candidatesOf(binding, kind, objects))
    .filter((object) => namesObject(binding, object));
  if (spec.scope !== 'All' && !kinds.has('HelmRepository')) return inOrder(named);
  const takers = named.flatMap(takersOf);
  /* An applier may use a HelmChart of a source that is named. */
  const ofCharts = takers.filter(({ kind }) => kind === 'HelmChart').flatMap(takersOf);
  const followers = [...takers, ...ofCharts].filter((object) => bindsObject(binding, object, objects));
  return inOrder([...new Set([...named, ...followers])]);
}

/** Returns the objects of a kind that a binding may name, each once. */
function candidatesOf(
  { metadata, spec }: GateBinding,
  kind: FluxKind,
  objects: FluxObjects,
): readonly FluxObject[] {
  const { namespace } = metadata;
  const found = new Set<FluxObject>();
  for (const { name, selector, ...target } of spec.targets ?? []) {
    if (target.kind !== kind) continue;
    const { matchLabels = {} } = selector ?? {};
    if (name === undefined && Object.keys(matchLabels).length === 0) return objects.list(kind, namespace);
    const some =
      name === undefined
        ? objects.list(kind, namespace, matchLabels)
        : [objects.get({ kind, namespace, name }) ?? []].flat();
    for (const object of some) found.add(object);
  }
  return [...found];
}

function inOrder(objects: readonly FluxObject[]): FluxObject[] {
  return kindOrder.flatMap((kind) => objects.filter((object) => object.kind === kind).sort(byName));
}

function matchesTarget({ kind, name, selector }: Target, object: FluxObject): boolean {
  if (kind !== object.kind) return false;
  if (name !== undefined) return name === object.metadata.name;
  return selector === undefined || matchesLabels(selector, object.metadata.labels);
}

function byName(a: FluxObject, b: FluxObject): number {
  return keyString(a.metadata) < keyString(b.metadata) ? -1 : 1;
}
