import { isObject } from '../../schema/json.js';
import { objectsAt, textAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

/** Defaults of a pod spec that depend on other fields (Kubernetes pkg/apis/core/v1/defaults.go). */
export function defaultPodSpec(spec: JsonObject): void {
  spec['securityContext'] ??= {};
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account !== '') Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const container of [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')]) {
    container['imagePullPolicy'] ??= isLatest(textAt(container, 'image')) ? 'Always' : 'IfNotPresent';
    defaultRequests(container);
  }
  for (const volume of objectsAt(spec, 'volumes')) {
    if (Object.keys(volume).length === 1) volume['emptyDir'] = {};
  }
}

/** Returns whether an image has the tag `latest` or no tag, which means the same. */
function isLatest(image: string): boolean {
  if (image.includes('@')) return false;
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest';
}

function defaultRequests({ resources }: JsonObject): void {
  if (!isObject(resources) || !isObject(resources['limits'])) return;
  const requests = isObject(resources['requests']) ? resources['requests'] : {};
  resources['requests'] = { ...resources['limits'], ...requests };
}
