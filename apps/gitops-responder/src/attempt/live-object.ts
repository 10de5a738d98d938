import { isTyped, type KubeObject } from '@interlock/api';
import type { Client } from '@interlock/kube';
import type { Subject } from '@interlock/responding';

/**
 * Reads a subject from the cluster.
 *
 * @returns undefined when it does not exist, or when its name is not valid for the API server.
 * @throws TypedError `Unauthorized` when the responder may not read objects of its kind.
 */
export async function readSubject(
  client: Client,
  { apiVersion, kind, name, namespace }: Subject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  if (apiVersion === undefined || kind === undefined || name === undefined || name === '') return undefined;
  if (!isPathSegment(name) || (namespace !== undefined && !isPathSegment(namespace))) return undefined;
  try {
    const served = await client.resolveKind(apiVersion, kind, { signal });
    if (served === undefined || (served.namespaced && namespace === undefined)) return undefined;
    const key = { name, ...(served.namespaced && namespace !== undefined && { namespace }) };
    return await client.get<KubeObject>(served, key, { signal });
  } catch (error) {
    if (isTyped(error, 'NotFound', 'Invalid')) return undefined;
    throw error;
  }
}

/**
 * Returns whether a text can be the name of an object: names are path segments, and the names of RBAC objects need not be more
 * (Kubernetes, "Object Names and IDs").
 */
function isPathSegment(text: string): boolean {
  return /^(?!\.{1,2}$)[^/%\p{Cc}]{1,253}$/u.test(text);
}
