import { objectAt, textsAt, type KubeObject } from '../object.js';
import { checkSubdomain } from '../registry/names.js';
import type { JsonObject } from '../schema/types.js';
import { controllerReference } from './ownership.js';

/**
 * Returns the pod that an owner creates from its template. Source: Kubernetes pkg/controller/controller_utils.go,
 * GetPodFromTemplate.
 */
export function podOf(owner: KubeObject, template: JsonObject, prefix = prefixOf(owner)): KubeObject {
  const labels = objectAt(template, 'metadata', 'labels') as Record<string, string>;
  const annotations = objectAt(template, 'metadata', 'annotations') as Record<string, string>;
  const finalizers = textsAt(template, 'metadata', 'finalizers');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: prefix,
      ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
      ...(Object.keys(annotations).length > 0 && { annotations: { ...annotations } }),
      ...(finalizers.length > 0 && { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(objectAt(template, 'spec')),
  };
}

/** Returns the name with a dash, or without it if the result would be invalid. */
function prefixOf({ metadata }: KubeObject): string {
  const prefix = `${metadata.name}-`;
  return checkSubdomain(prefix, true) === undefined ? prefix : metadata.name;
}
