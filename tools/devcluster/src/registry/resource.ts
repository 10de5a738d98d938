import type { KubeObject } from '../object.js';
import type { Resource, Verb } from './types.js';

export type {
  Verb,
  Strategy,
  ScalePaths,
  Conversion,
  Call,
  CallAnswer,
  Subresource,
  Resource,
} from './types.js';

export const allVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** The verbs of {@link allVerbs} in the order in which discovery lists them for custom resources. */
export const customVerbs: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];

/** Returns the apiVersion, such as `v1` or `apps/v1`. */
export function apiVersionOf({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Returns the stored object in the form of this version. */
export function fromStorage(resource: Resource, object: KubeObject): KubeObject {
  if (resource.conversion !== undefined) return resource.conversion.fromStorage(object);
  const apiVersion = apiVersionOf(resource);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Returns the stored form of an object of this version. */
export function toStorage(resource: Resource, object: KubeObject): KubeObject {
  return resource.conversion === undefined ? object : resource.conversion.toStorage(object);
}
