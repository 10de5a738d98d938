import { isObject } from '../../../schema/json.js';
import { objectAt, objectsAt, textAt, valueAt } from '../../../object.js';
import type { Json, JsonObject } from '../../../schema/types.js';

/** The part of a pod, or of a template of pods, that the checks read. */
export interface PodTemplate {
  readonly annotations: Readonly<Record<string, string>>;
  /** v1 PodSpec. */
  readonly spec: JsonObject;
}

/** A violation of a level by a pod. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Returns the violation of a pod, or undefined if the check passes. */
export type CheckPod = (pod: PodTemplate) => Violation | undefined;

/** A check of the Pod Security Standards, with its different versions. */
export interface Check {
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** The versions of the check by the first minor version of Kubernetes, in ascending order. */
  readonly versions: readonly { readonly since: number; readonly check: CheckPod }[];
  /** The baseline check that this one replaces in the restricted level. */
  readonly overrides?: string;
}

/** Returns the containers of a pod in the order in which they are reported: init containers, containers, ephemeral containers. */
export function containersOf({ spec }: PodTemplate): JsonObject[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) => objectsAt(spec, field));
}

/** Returns the names of the containers for which a test holds. */
export function namesOf(pod: PodTemplate, test: (container: JsonObject) => boolean): string[] {
  return containersOf(pod)
    .filter(test)
    .map((container) => textAt(container, 'name'));
}

/** Returns the value at a path below the security context of a pod or container; undefined when it is not set. */
export function securityOption(owner: JsonObject, ...path: string[]): Json | undefined {
  return valueAt(owner, 'securityContext', ...path);
}

/** Returns an object in the security context of a pod or container; undefined when it is not set. */
export function securityObject(owner: JsonObject, field: string): JsonObject | undefined {
  const value = securityOption(owner, field);
  return isObject(value) ? value : undefined;
}

/** Returns the violating parts of a pod, which the caller joins with `and`: `pod`, `containers "a", "b"`. */
export function settersOf(pod: PodTemplate, isBad: (owner: JsonObject) => boolean): string[] {
  const containers = namesOf(pod, isBad);
  return [
    ...(isBad(pod.spec) ? ['pod'] : []),
    ...(containers.length === 0 ? [] : [containerList(containers)]),
  ];
}

/** Returns `container "a"` or `containers "a", "b"`. */
export function containerList(names: readonly string[]): string {
  return `${plural('container', names.length)} ${quoted(names)}`;
}

/** Returns `"a", "b"`. */
export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

/** Returns the singular or plural form of a noun for a number. */
export function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

/** Returns the verb `uses` for a number of subjects. */
export function uses(count: number): string {
  return count === 1 ? 'uses' : 'use';
}

/** Returns the distinct values in ascending order. */
export function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

/** Returns whether the pod runs on Windows, where some settings do not exist. */
export function isWindows({ spec }: PodTemplate): boolean {
  return textAt(objectAt(spec, 'os'), 'name') === 'windows';
}

/** Returns whether the pod has its own user namespace, in which root is not root on the node. */
export function hasUserNamespace({ spec }: PodTemplate): boolean {
  return valueAt(spec, 'hostUsers') === false;
}
