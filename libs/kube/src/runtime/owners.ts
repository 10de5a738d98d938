import type { KubeObject, OwnerReference } from '@interlock/api';

/**
 * Returns the owner reference that makes `owner` the controller of a child.
 *
 * @throws Error when the owner has no uid because it was not read from the API server
 */
export function controllerReference(owner: KubeObject): OwnerReference {
  const { name, uid } = owner.metadata;
  if (uid === undefined) throw new Error(`${owner.kind} ${name} has no uid and cannot be an owner`);
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Returns the reference to the object's controller, of which there is at most one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Returns whether `owner`, and not an earlier object with the same name, is the controller of `object`. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = controllerOf(object)?.uid;
  return uid !== undefined && uid === owner.metadata.uid;
}
