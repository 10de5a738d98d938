import { argoApplication, fluxResources, isTyped, TypedError } from '@interlock/api';
import type { Client } from '@interlock/kube';
import type { DeliveryObject, DeliveryRef, DeliverySources, Subject } from '@interlock/responding';
import { readSubject } from './live-object.js';

/** Returns the sources of the objects in the cluster that deliver a subject. */
export function clusterSources(client: Client, signal: AbortSignal): DeliverySources {
  return {
    fetch: (ref) => fetch(client, ref, signal),
    live: (subject) => liveSubject(client, subject, signal),
  };
}

/** Returns the objects of Flux or Argo CD, if there are any. @throws TypedError `NotLocated` when they cannot be read */
async function fetch(client: Client, ref: DeliveryRef, signal: AbortSignal): Promise<DeliveryObject[]> {
  const { kind, namespace, name } = ref;
  try {
    if (kind !== 'Application') {
      const key = { name, namespace };
      return [await client.get<DeliveryObject>(fluxResources[kind], key, { signal })];
    }
    const { items } = await client.list<DeliveryObject>(argoApplication, {
      fieldSelector: `metadata.name=${name}`,
      namespace,
      signal,
    });
    return items;
  } catch (error) {
    if (isTyped(error, 'NotFound')) return [];
    if (!isTyped(error, 'Unauthorized')) throw error;
    throw notLocated(
      `${kind} ${name} cannot be read; grant the permission with the chart value locate: ${error.message}`,
    );
  }
}

/** Returns the subject as it is in the cluster, with its labels and annotations; undefined when it does not exist. */
async function liveSubject(
  client: Client,
  subject: Subject,
  signal: AbortSignal,
): Promise<Subject | undefined> {
  const { apiVersion, kind, name, namespace } = subject;
  try {
    const live = await readSubject(client, subject, signal);
    if (live === undefined) return undefined;
    const { labels, annotations } = live.metadata;
    return { apiVersion, kind, name, namespace, labels, annotations };
  } catch (error) {
    if (!isTyped(error, 'Unauthorized')) throw error;
    throw notLocated(
      `the event does not name the resource that delivers ${kind ?? ''} ${name ?? ''}, and the subject cannot be read; grant the permission with the chart value locate.subjects: ${error.message}`,
    );
  }
}

/** Returns the error for a subject whose file was not found; it names the fix. */
export function notLocated(reason: string): TypedError {
  return new TypedError(
    'Invalid',
    `the file of the subject was not found: ${reason}; name its path in the operation`,
    {
      reason: 'NotLocated',
    },
  );
}
