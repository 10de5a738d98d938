import { apiVersionOf, isTyped, type GateKeeper, type Kind } from '@interlock/api';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import type { ObjectProblem } from '@interlock/gating';
import { ConfigMap, parseApiVersion, type Client } from '@interlock/kube';
import type { AdmissionUser } from '@interlock/service';
import { reviewAccess } from '../access-review.js';
import { resourceRefOf, type ResourceRef } from '../inputs/resource-ref.js';
import { isSecret } from '../inputs/secrets.js';

type ApiClient = Pick<Client, 'raw' | 'resolveKind'>;

/**
 * Returns why a user may not create a keeper that reads an object; undefined if it is allowed. The controller reads the
 * object with its own permissions, and the state of the gate reveals information about it.
 *
 * @throws TypedError when the request to the API server fails
 */
export async function problemsOfReading(
  client: ApiClient,
  keeper: GateKeeper,
  user: AdmissionUser,
  signal: AbortSignal,
): Promise<ObjectProblem[]> {
  const read = resourceRefOf(keeper);
  if (read === undefined) return [];
  const { apiVersion, kind: kindName, namespace, name } = read;
  const field =
    keeper.spec.type === 'expression' ? 'spec.expression.over.name' : 'spec.calendar.configMapRef.name';
  const problem = (message: string): ObjectProblem[] => [
    { object: `GateKeeper/${keeper.metadata.name}`, field, value: name, message },
  ];
  if (isSecret(read))
    return problem('a GateKeeper cannot read Secrets; copy the required values into a ConfigMap');
  const kind = await kindOf(client, read, signal);
  if (isProblem(kind)) return problem(kind.message);
  const { group, version } = parseApiVersion(apiVersion);
  const attributes = {
    verb: 'get',
    group,
    version,
    /* The resource name of a kind that is not installed is unknown, so only a user who may read the whole group
       passes. */
    resource: kind?.plural ?? '*',
    ...(kind?.namespaced !== false && { namespace }),
    name,
  };
  if (await reviewAccess(client, user, attributes, signal)) return [];
  const what = kind === undefined ? `${kindName} (${apiVersion}), which is not installed` : kindName;
  return problem(
    `${user.username} may not get ${what} ${name}; request that permission, or name another object`,
  );
}

/** Returns the kind of the object; undefined if the kind is not installed. */
async function kindOf(
  client: ApiClient,
  read: ResourceRef,
  signal: AbortSignal,
): Promise<OrProblem<Kind | undefined>> {
  if (read.kind === ConfigMap.kind && read.apiVersion === apiVersionOf(ConfigMap)) return ConfigMap;
  try {
    return await client.resolveKind(read.apiVersion, read.kind, { signal });
  } catch (error) {
    if (isTyped(error, 'Invalid'))
      return new Problem(
        'InvalidVersion',
        `${read.apiVersion} is not a valid API version; write one such as v1 or apps/v1`,
      );
    throw error;
  }
}
