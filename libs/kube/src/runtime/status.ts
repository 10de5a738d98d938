import type { Kind, KubeObject } from '@interlock/api';
import type { ApplyConfiguration, CallOptions, Client } from '../client/types.js';
import { semanticEqual } from './canonical.js';

/**
 * Server-side apply of the whole status, by one field manager, only when it differs from the status of `object`.
 * The uid goes along, so that an object made anew under the same name is left alone.
 *
 * @param object as it was observed
 * @param status all of the status: what is left out goes
 * @returns the object as the server has it now, or `object` when nothing was to be written
 * @throws ApiError
 */
export async function applyStatus<T extends KubeObject & { status?: unknown }>(
  client: Pick<Client, 'apply'>,
  kind: Kind<T>,
  object: T,
  status: NonNullable<T['status']>,
  options: CallOptions & { fieldManager: string },
): Promise<T> {
  if (semanticEqual(object.status, status)) return object;
  const { name, namespace, uid } = object.metadata;
  const configuration: ApplyConfiguration = {
    metadata: { name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) },
    status,
  };
  return client.apply(kind, configuration, { ...options, subresource: 'status' });
}
