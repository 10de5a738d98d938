import type { Client } from '@interlock/kube';

/** The user (authentication.k8s.io/v1 UserInfo). */
export interface ReviewedUser {
  readonly username?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The requested access (authorization.k8s.io/v1 ResourceAttributes). */
interface ResourceAttributes {
  verb: string;
  group: string;
  version: string;
  resource: string;
  namespace?: string;
  name: string;
}

interface SubjectAccessReview {
  status?: { allowed?: boolean };
}

/**
 * Returns whether the API server grants a user a permission.
 *
 * @throws TypedError when the request to the API server fails
 */
export async function reviewAccess(
  client: Pick<Client, 'raw'>,
  { username = '', uid = '', groups = [], extra = {} }: ReviewedUser,
  resourceAttributes: ResourceAttributes,
  signal: AbortSignal,
): Promise<boolean> {
  const apiVersion = 'authorization.k8s.io/v1';
  const body = {
    apiVersion,
    kind: 'SubjectAccessReview',
    spec: { user: username, uid, groups, extra, resourceAttributes },
  };
  const path = `/apis/${apiVersion}/subjectaccessreviews`;
  const request = { method: 'POST', path, body, isIdempotent: true };
  const { status } = await client.raw<SubjectAccessReview>(request, { signal });
  return status?.allowed === true;
}
