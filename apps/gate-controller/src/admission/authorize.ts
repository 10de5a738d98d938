import { Gate, type GateOverride, type ObjectKey } from '@interlock/api';
import { semanticEqual } from '@interlock/base';
import { type Client } from '@interlock/kube';
import type { AdmissionUser, Denied } from '@interlock/service';

/** What a user may do with a gate, beside the verbs of the API. */
export type GateVerb = 'open' | 'close' | 'approve';

/** Controllers of the cluster, which delete what is in a namespace that goes. */
const clusterControllers = 'system:serviceaccounts:kube-system';

/** Returns the verb that an override stands for. */
export function verbOf({ spec }: GateOverride): GateVerb {
  return spec.effect === 'Open' ? 'open' : 'close';
}

/**
 * Returns the verb that the deletion of an override stands for: it opens what a Close in force holds. Undefined: it needs no
 * right but `delete`.
 */
export function verbOfDeletion({ spec, status }: GateOverride, user: AdmissionUser): GateVerb | undefined {
  if (user.groups.includes(clusterControllers) || status?.endedAt !== undefined) return undefined;
  return spec.effect === 'Close' ? 'open' : undefined;
}

/**
 * Returns the verb that the change of an override stands for: with another owner, the garbage collector deletes it in the
 * place of the user who writes that. Undefined: it needs no right but `update`.
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
 * Asks the API server whether a user may do something with a gate: by SubjectAccessReview on the virtual verbs `open`,
 * `close` and `approve`.
 *
 * @returns the refusal; undefined: they may.
 * @throws TypedError when the API server cannot be asked.
 */
export async function refusalToUse(
  client: Pick<Client, 'raw'>,
  user: AdmissionUser,
  verb: GateVerb,
  { namespace = '', name }: ObjectKey,
  signal: AbortSignal,
): Promise<Denied | undefined> {
  const { group, version, plural } = Gate;
  const resourceAttributes = { namespace, name, verb, group, version, resource: plural };
  const { username, uid = '', groups } = user;
  const apiVersion = 'authorization.k8s.io/v1';
  const { status } = await client.raw<{ status?: { allowed?: boolean } }>(
    {
      method: 'POST',
      path: `/apis/${apiVersion}/subjectaccessreviews`,
      body: {
        apiVersion,
        kind: 'SubjectAccessReview',
        spec: { user: username, uid, groups, resourceAttributes },
      },
    },
    { signal },
  );
  if (status?.allowed === true) return undefined;
  return {
    allowed: false,
    message: `user ${JSON.stringify(username)} may not ${verb} Gate ${namespace}/${name}: grant the verb ${verb} on ${plural}.${group} ${name}`,
  };
}
