import { Gate, type GateOverride, type ObjectKey } from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import { type Client } from '@interlock/kube';
import type { AdmissionUser, Denied } from '@interlock/service';
import { reviewAccess } from '../access-review.js';

/** What a user may do with a gate, in addition to the verbs of the API. */
export type GateVerb = 'open' | 'close' | 'approve';

/** Controllers of the cluster, which delete the contents of a namespace that is being deleted. */
const clusterControllers = 'system:serviceaccounts:kube-system';

/** Returns the verb that an override requires. */
export function verbOf({ spec }: GateOverride): GateVerb {
  return spec.effect === 'Open' ? 'open' : 'close';
}

/**
 * Returns the verb that the deletion of an override requires, because deleting a Close in force opens what it holds.
 * Undefined if only `delete` is required.
 */
export function verbOfDeletion({ spec, status }: GateOverride, user: AdmissionUser): GateVerb | undefined {
  if (user.groups.includes(clusterControllers) || status?.endedAt !== undefined) return undefined;
  return spec.effect === 'Close' ? 'open' : undefined;
}

/**
 * Returns the verb that a change of an override requires. A change of its owner requires the same verb as its deletion, because
 * the garbage collector may then delete it on behalf of the user. Undefined if only `update` is required.
 */
export function verbOfChange(
  before: GateOverride,
  { metadata }: GateOverride,
  user: AdmissionUser,
): GateVerb | undefined {
  return semanticEqual(before.metadata.ownerReferences, metadata.ownerReferences)
    ? undefined
    : verbOfDeletion(before, user);
}

/**
 * Returns the refusal of an action on a gate; undefined if the user is allowed. The API server decides by
 * SubjectAccessReview on the virtual verbs `open`, `close` and `approve`.
 *
 * @throws TypedError when the request to the API server fails
 */
export async function refusalToUse(
  client: Pick<Client, 'raw'>,
  user: AdmissionUser,
  verb: GateVerb,
  { namespace = '', name }: ObjectKey,
  signal: AbortSignal,
): Promise<Denied | undefined> {
  const { group, version, plural } = Gate;
  const attributes = { namespace, name, verb, group, version, resource: plural };
  if (await reviewAccess(client, user, attributes, signal)) return undefined;
  return {
    allowed: false,
    message: `user ${JSON.stringify(user.username)} may not ${verb} Gate ${namespace}/${name}; grant the user the verb ${verb} on ${plural}.${group} ${name}`,
  };
}
