import { createHash } from 'node:crypto';
import { ApiError } from '../api/api-error.js';
import type { Cluster } from '../api/cluster.js';
import { createObject } from '../api/create.js';
import { decodeObject } from '../api/decode.js';
import { updateObject } from '../api/update.js';
import { formatSeconds, type KubeObject } from '../object.js';
import { keyOf } from '../store/entry.js';
import { CONTROLLER } from './identity.js';

/** Something that happened to an object. */
export interface Happening {
  regarding: KubeObject;
  type: 'Normal' | 'Warning';
  reason: string;
  note: string;
  /** The controller that reports it. */
  component: string;
}

/** The longest message that the API server takes. */
const maxNoteLength = 1024;

/**
 * Records an Event of v1, as client-go's recorder does: one that repeats an earlier one raises its count. An Event that
 * the API server refuses is dropped.
 */
export async function record(cluster: Cluster, happening: Happening): Promise<void> {
  const resource = cluster.registry.get('', 'v1', 'events');
  if (resource === undefined) return;
  const namespace = happening.regarding.metadata.namespace ?? 'default';
  const name = nameOf(happening);
  try {
    if (cluster.store.get(resource.collection, keyOf(namespace, name)) !== undefined) {
      const change = (live: KubeObject): KubeObject => ({
        ...live,
        count: Number(live['count'] ?? 1) + 1,
        lastTimestamp: formatSeconds(cluster.now()),
      });
      await updateObject(cluster, resource, { namespace, name, change, unconditional: true }, CONTROLLER);
      return;
    }
    const { object } = decodeObject(
      eventOf(happening, name, formatSeconds(cluster.now())),
      resource,
      'Ignore',
    );
    await createObject(cluster, resource, namespace, object, CONTROLLER);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** The same happening has the same name, so that no memory of past ones is needed. */
function nameOf({ regarding, type, reason, note, component }: Happening): string {
  const { name, uid = '' } = regarding.metadata;
  const digest = createHash('sha256').update([uid, type, reason, note, component].join('\0')).digest('hex');
  return `${name.slice(0, 200)}.${digest.slice(0, 16)}`;
}

function eventOf(
  { regarding, type, reason, note, component }: Happening,
  name: string,
  at: string,
): KubeObject {
  const { apiVersion, kind, metadata } = regarding;
  const { namespace = '', uid = '', resourceVersion = '' } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name },
    involvedObject: { apiVersion, kind, namespace, name: metadata.name, uid, resourceVersion },
    type,
    reason,
    message: note.slice(0, maxNoteLength),
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
  };
}
