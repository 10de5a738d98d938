import { objectAt, type KubeObject, type OwnerReference } from '../object.js';
import type { Resource } from '../registry/resource.js';
import { labelSelectorRequirements, matchesLabels, type Requirement } from '../selectors/labels.js';
import { keyOf, type StoreEvent } from '../store/entry.js';
import type { Store } from '../store/store.js';

/** Returns the reference to the owner that manages an object. */
export function controllerOf({ metadata }: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Returns the reference with which a controller marks the objects that it manages. */
export function controllerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Returns whether the `spec.selector` of an owner matches the labels of an object. */
export function selects(owner: KubeObject, { metadata }: KubeObject): boolean {
  return matchesLabels(selectorOf(owner), metadata.labels);
}

function selectorOf(owner: KubeObject): Requirement[] {
  return labelSelectorRequirements(objectAt(owner, 'spec', 'selector'));
}

/**
 * Returns the keys of the owners of a kind that the change of an object concerns: the current and the previous owner,
 * and owners that may adopt the object.
 */
export function ownerKeys(
  store: Store,
  { collection, kind }: Pick<Resource, 'collection' | 'kind'>,
  { entry, previous }: StoreEvent,
): string[] {
  const keys = [entry, previous].flatMap((version) => {
    const owner = version && controllerOf(version.object);
    return owner?.kind === kind ? [keyOf(entry.namespace, owner.name)] : [];
  });
  if (controllerOf(entry.object) !== undefined) return keys;
  const adopters = store
    .entries(collection, entry.namespace)
    .filter(({ object }) => selects(object, entry.object));
  return [...keys, ...adopters.map(({ key }) => key)];
}

/** The objects that an owner manages, and the required changes. */
interface Claim {
  /** The managed objects, including adopted ones. */
  owned: KubeObject[];
  /** Objects without a controller that the selector of the owner matches. */
  adopt: KubeObject[];
  /** Objects that the owner manages, but its selector no longer matches. */
  release: KubeObject[];
}

/**
 * Returns which of the candidates an owner manages, adopts or releases. An owner that is being deleted neither adopts
 * nor releases objects. Source: Kubernetes pkg/controller/controller_ref_manager.go.
 */
export function claim(owner: KubeObject, candidates: readonly KubeObject[]): Claim {
  const found: Claim = { owned: [], adopt: [], release: [] };
  const isDeleted = owner.metadata.deletionTimestamp !== undefined;
  const requirements = selectorOf(owner);
  for (const candidate of candidates) {
    const controller = controllerOf(candidate);
    if (controller !== undefined && controller.uid !== owner.metadata.uid) continue;
    const matches = matchesLabels(requirements, candidate.metadata.labels);
    if (controller !== undefined) {
      if (matches) found.owned.push(candidate);
      else if (!isDeleted) found.release.push(candidate);
    } else if (matches && !isDeleted && candidate.metadata.deletionTimestamp === undefined) {
      found.adopt.push(candidate);
      found.owned.push(candidate);
    }
  }
  return found;
}

/** Makes an owner the controller of an object. */
export function addControllerReference(object: KubeObject, owner: KubeObject): void {
  object.metadata.ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerReference(owner)];
}

/** Removes the references of an object to an owner. */
export function removeOwner({ metadata }: KubeObject, uid: string | undefined): void {
  const left = (metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
  if (left.length > 0) metadata.ownerReferences = left;
  else Reflect.deleteProperty(metadata, 'ownerReferences');
}
