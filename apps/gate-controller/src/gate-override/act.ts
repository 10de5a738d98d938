import { GateOverride, isTyped, keyOf } from '@interlock/api';
import type { Client } from '@interlock/kube';
import type { OverrideDecision } from './decide.js';
import type { ObservedOverride } from './observed.js';

/**
 * Deletes an override whose retention time has elapsed.
 *
 * @throws ApiError
 */
export async function actOnOverride(
  client: Pick<Client, 'delete'>,
  { override }: ObservedOverride,
  { type }: OverrideDecision,
): Promise<undefined> {
  if (type !== 'remove') return undefined;
  const { uid } = override.metadata;
  try {
    await client.delete(GateOverride, keyOf(override), { uid });
  } catch (error) {
    /* It is already gone, or another object has its name. */
    if (!isTyped(error, 'NotFound', 'Conflict')) throw error;
  }
  return undefined;
}
