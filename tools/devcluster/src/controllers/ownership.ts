import { objectAt, type KubeObject, type OwnerReference } from '../object.js';
import { labelSelectorRequirements, matchesLabels } from '../selectors/labels.js';

/** Returns the reference to the owner that manages an object. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** Returns the reference with which a controller marks what it manages. */
export function controllerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Whether the `spec.selector` of an owner matches the labels of an object. */
export function selects(owner: KubeObject, { metadata }: KubeObject): boolean {
  return matchesLabels(labelSelectorRequirements(objectAt(owner, 'spec', 'selector')), metadata.labels);
}

/** What an owner manages, and what has to change for that. */
export interface Claim {
  /** What it manages, those that it adopts included. */
  owned: KubeObject[];
  /** Objects without a controller that its selector matches. */
  adopt: KubeObject[];
  /** Objects that it manages and its selector no longer matches. */
  release: KubeObject[];
}

/**
 * Returns what an owner manages among objects of its namespace. An owner that is being deleted neither adopts nor
 * releases. Source: Kubernetes pkg/controller/controller_ref_manager.go.
 */
export function claim(owner: KubeObject, candidates: readonly KubeObject[]): Claim {
  const found: Claim = { owned: [], adopt: [], release: [] };
  const isGoing = owner.metadata.deletionTimestamp !== undefined;
  for (const candidate of candidates) {
    const controller = controllerOf(candidate);
    const matches = selects(owner, candidate);
    if (controller?.uid === owner.metadata.uid && controller !== undefined) {
      if (matches) found.owned.push(candidate);
      else if (!isGoing) found.release.push(candidate);
    } else if (controller === undefined && matches && !isGoing) {
      if (candidate.metadata.deletionTimestamp !== undefined) continue;
      found.adopt.push(candidate);
      found.owned.push(candidate);
    }
  }
  return found;
}

/** Makes an owner the controller of an object. */
export function addController(object: KubeObject, owner: KubeObject): void {
  object.metadata.ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerReference(owner)];
}

/** Removes the references of an object to an owner. */
export function removeOwner({ metadata }: KubeObject, uid: string | undefined): void {
  const left = (metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
  if (left.length > 0) metadata.ownerReferences = left;
  else Reflect.deleteProperty(metadata, 'ownerReferences');
}
