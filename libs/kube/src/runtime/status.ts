import { isTyped, keyOf, type Kind, type KubeObject } from '@interlock/api';
import type { CallOptions, Client } from '../client/types.js';

const defaultAttempts = 5;

interface ApplyStatusOptions extends CallOptions {
  /** Maximum number of attempts. With 1, the status is applied only on top of the observed version. Default: 5. */
  attempts?: number | undefined;
}

/**
 * Applies the complete status of an object. Returns the object as it is stored.
 *
 * An object that was recreated under the same name is not changed. An API server ignores the uid of an applied status,
 * so the resourceVersion is included, and after a conflict, the resourceVersion of the object with the same uid.
 *
 * @param object as it was observed
 * @param status the complete status: omitted fields are removed
 * @throws ApiError `Conflict` when the object was recreated or changes continuously, `NotFound` when it is gone
 */
export async function applyStatus<T extends KubeObject>(
  client: Pick<Client, 'apply' | 'get'>,
  kind: Kind<T>,
  object: T,
  status: object,
  { attempts = defaultAttempts, ...options }: ApplyStatusOptions = {},
): Promise<T> {
  const { uid } = object.metadata;
  const key = keyOf(object);
  let { resourceVersion } = object.metadata;
  for (let attempt = 1; ; attempt += 1) {
    const metadata = { ...key, ...(resourceVersion !== undefined && { resourceVersion }) };
    try {
      return await client.apply(kind, { metadata, status }, { ...options, subresource: 'status' });
    } catch (error) {
      if (!isTyped(error, 'Conflict') || attempt === attempts) throw error;
      const { metadata: live } = await client.get(kind, key, options);
      if (live.uid !== uid) throw error;
      ({ resourceVersion } = live);
    }
  }
}
