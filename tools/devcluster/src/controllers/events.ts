import { truncateBytes } from '@interlock/base';
import { ApiError } from '../api/api-error.js';
import type { Cluster, WriteContext } from '../api/cluster.js';
import { createObject } from '../api/create.js';
import { decodeObject } from '../api/decode.js';
import { updateObject } from '../api/update.js';
import { formatSeconds, objectAt, valueAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { keyOf } from '../store/entry.js';
import { controller } from './identity.js';
import type { Occurrence } from './occurrence.js';

const longestNote = 1024;

/**
 * Records an event, or counts it when the same event was recorded before. An event that the API refuses, because its
 * namespace is being deleted for example, is dropped.
 */
export async function record(cluster: Cluster, occurrence: Occurrence): Promise<void> {
  const resource = cluster.registry.get('', 'v1', 'events');
  if (resource === undefined) return;
  const { regarding, component } = occurrence;
  const namespace = regarding.metadata.namespace ?? 'default';
  const context: WriteContext = { ...controller, manager: component };
  const exists = (event: string): boolean =>
    cluster.store.get('events', keyOf(namespace, event)) !== undefined;
  const name = cluster.eventNames.nameOf(occurrence, cluster.now(), exists);
  const body = { metadata: { name, namespace }, ...contentOf(occurrence, cluster.now()) };
  try {
    const { object } = decodeObject(body, resource, 'Ignore');
    if (!exists(name)) {
      await createObject(cluster, resource, namespace, object, context);
      return;
    }
    const change = (live: KubeObject): KubeObject => ({
      ...live,
      message: truncateBytes(occurrence.note, longestNote),
      ...repeated(live, cluster.now()),
    });
    await updateObject(cluster, resource, { namespace, name, change }, context);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

function contentOf(occurrence: Occurrence, now: Date): JsonObject {
  const { regarding, type, reason, note, component, action, host, fieldPath } = occurrence;
  const { name, namespace, uid, resourceVersion } = regarding.metadata;
  const shared: JsonObject = {
    involvedObject: {
      kind: regarding.kind,
      ...(namespace !== undefined && { namespace }),
      name,
      ...(uid !== undefined && { uid }),
      apiVersion: regarding.apiVersion,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(fieldPath !== undefined && { fieldPath }),
    },
    type,
    reason,
    message: truncateBytes(note, longestNote),
    reportingComponent: component,
  };
  if (action !== undefined) {
    return { ...shared, action, eventTime: microTime(now), reportingInstance: `${component}-devcluster` };
  }
  const at = formatSeconds(now);
  return {
    ...shared,
    source: { component, ...(host !== undefined && { host }) },
    ...(host !== undefined && { reportingInstance: host }),
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
}

/** Returns the changes of a repeated event. */
function repeated(event: KubeObject, now: Date): JsonObject {
  if (typeof event['eventTime'] === 'string') {
    const count = Number(objectAt(event, 'series')['count'] ?? 1);
    return { series: { count: count + 1, lastObservedTime: microTime(now) } };
  }
  return { count: Number(valueAt(event, 'count') ?? 1) + 1, lastTimestamp: formatSeconds(now) };
}

/** Returns a time in the format of `metav1.MicroTime`. */
export function microTime(moment: Date): string {
  return moment.toISOString().replace('Z', '000Z');
}
