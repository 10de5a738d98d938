import { objectAt, type KubeObject } from '../../object.js';
import { goJson, jsonEqual } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';

/** The label that distinguishes the pods of the ReplicaSets of a Deployment. */
export const hashLabel = 'pod-template-hash';

/** Characters that cannot form words (apimachinery util/rand, SafeEncodeString). */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Returns a hash of a pod template that is the same for equal templates and equal `collisions`. */
export function templateHash(template: JsonObject, collisions: number): string {
  const text = `${goJson(template)}${collisions === 0 ? '' : String(collisions)}`;
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return [...String(hash)].map((digit) => alphabet.charAt(digit.charCodeAt(0) % alphabet.length)).join('');
}

/** Returns whether a ReplicaSet has the current template of a Deployment. */
export function hasTemplateOf(replicaSet: KubeObject, deployment: KubeObject): boolean {
  return jsonEqual(withoutHash(replicaSet), withoutHash(deployment));
}

function withoutHash(owner: KubeObject): JsonObject {
  const template = objectAt(owner, 'spec', 'template');
  const metadata = objectAt(template, 'metadata');
  const { [hashLabel]: _hash, ...labels } = objectAt(metadata, 'labels');
  return { ...template, metadata: { ...metadata, labels } };
}
