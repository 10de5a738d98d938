import type { ObjectKey } from '@interlock/api';
import { EndpointSlice, Event, Pod, type Client } from '@interlock/kube';

/** Returns the label selector for the pods of an app whose release has the name of the app. */
function podSelector(app: string): string {
  return `app.kubernetes.io/name=${app},app.kubernetes.io/instance=${app}`;
}

/** Returns the pods of an app, including those that are terminating. */
export async function podsOf(client: Client, { namespace, name }: ObjectKey): Promise<readonly Pod[]> {
  const { items } = await client.list(Pod, { namespace: namespace ?? '', labelSelector: podSelector(name) });
  return items;
}

interface LogOptions {
  /** Whether to return the log of the previous run of the container. */
  previous?: boolean;
  tailLines?: number;
}

/** Returns the log of a pod, or an empty text if it has none. */
export async function logOf(client: Client, { metadata }: Pod, options: LogOptions = {}): Promise<string> {
  const { previous = false, tailLines } = options;
  const query = `previous=${String(previous)}${tailLines === undefined ? '' : `&tailLines=${tailLines}`}`;
  const path = `/api/v1/namespaces/${metadata.namespace ?? ''}/pods/${metadata.name}/log?${query}`;
  return client.raw<string>({ method: 'GET', path, as: 'text' }).catch(() => '');
}

/** Returns the latest warning about a pod, as `<reason>: <note>`. */
export async function lastWarning(client: Client, { metadata }: Pod): Promise<string | undefined> {
  const { items } = await client.list(Event, { namespace: metadata.namespace ?? '' });
  const timeOf = ({ eventTime, deprecatedLastTimestamp, metadata: { creationTimestamp } }: Event): string =>
    deprecatedLastTimestamp ?? eventTime ?? creationTimestamp ?? '';
  const [latest] = items
    .filter(({ type, regarding }) => type === 'Warning' && regarding?.uid === metadata.uid)
    .sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  return latest && `${latest.reason ?? ''}: ${latest.note ?? ''}`;
}

/** Returns the host and port of a ready endpoint of a Service with one port, or undefined while there is none. */
export async function endpointOf(
  client: Client,
  { namespace, name }: ObjectKey,
): Promise<{ host: string; port: number } | undefined> {
  const labelSelector = `kubernetes.io/service-name=${name}`;
  const { items } = await client.list(EndpointSlice, { namespace: namespace ?? '', labelSelector });
  for (const { endpoints = [], ports = [] } of items) {
    const host = endpoints.find(({ conditions }) => conditions?.ready === true)?.addresses[0];
    const port = ports[0]?.port;
    if (host !== undefined && port !== undefined) return { host, port };
  }
  return undefined;
}
