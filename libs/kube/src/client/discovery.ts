import { ifFound, TypedError, type Kind } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { groupPath } from './paths.js';
import type { CallOptions, Client } from './types.js';

/** The type of an object. */
export interface TypeName {
  apiVersion: string;
  kind: string;
}

interface ResourceList {
  resources?: { name: string; kind: string; namespaced: boolean }[];
}

/** The names of API groups and versions are RFC 1123 subdomains and RFC 1035 labels. */
const groupPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const versionPattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const maxGroup = 253;
const maxVersion = 63;

/**
 * Returns the group and the version of an `apiVersion`; the group of core kinds is empty. Users write it, and it becomes part
 * of a path.
 *
 * @throws TypedError `Invalid` when it is not the name of a version
 */
export function parseApiVersion(apiVersion: string): Pick<Kind, 'group' | 'version'> {
  const [version = '', group = '', ...more] = apiVersion.split('/').reverse();
  const isGroup = apiVersion.includes('/') ? group.length <= maxGroup && groupPattern.test(group) : true;
  if (more.length === 0 && isGroup && version.length <= maxVersion && versionPattern.test(version)) {
    return { group, version };
  }
  throw new TypedError(
    'Invalid',
    `apiVersion: ${JSON.stringify(prefixOf(apiVersion, maxGroup))} is not a valid API version; write for example v1 or apps/v1`,
  );
}

/**
 * Returns a kind as the API server serves it; undefined if the server does not serve it.
 *
 * @throws TypedError `Invalid` when `apiVersion` is not the name of a version; errors of {@link Client}
 */
export async function discoverKind(
  client: Pick<Client, 'raw'>,
  { apiVersion, kind }: TypeName,
  options: CallOptions = {},
): Promise<Kind | undefined> {
  const { group, version } = parseApiVersion(apiVersion);
  const path = groupPath({ group, version });
  const list = await ifFound(client.raw<ResourceList>({ method: 'GET', path }, options));
  const served = list?.resources?.find((one) => one.kind === kind && !one.name.includes('/'));
  return served && { group, version, kind, plural: served.name, namespaced: served.namespaced };
}
