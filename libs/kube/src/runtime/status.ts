import { isTyped, keyOf, type Kind, type KubeObject } from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import type { CallOptions, Client } from '../client/types.js';

const defaultAttempts = 5;

interface ApplyStatusOptions extends CallOptions {
  fieldManager: string;
  /** 1: only on top of the version that was observed. Default 5. */
  attempts?: number | undefined;
}

/**
 * Applies the whole status of an object by one field manager, only when it differs from the status of `object`.
 *
 * An object that was created anew under the same name is left alone. An API server ignores the uid of an applied status, so
 * the resourceVersion goes along, and after a conflict that of the object with the same uid.
 *
 * @param object as it was observed
 * @param status all of the status: a field that is left out is removed
 * @returns the object as the server has it now, or `object` when its status is the same
 * @throws ApiError `Conflict` when the object was created anew or changes all the time, `NotFound` when it is gone
 */
export async function applyStatus<T extends KubeObject>(
  client: Pick<Client, 'apply' | 'get'>,
  kind: Kind<T>,
  object: T,
  status: object,
  { attempts = defaultAttempts, ...options }: ApplyStatusOptions,
): Promise<T> {
  if (semanticEqual((object as { status?: unknown }).status, status)) return object;
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
