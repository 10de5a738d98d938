import type { Verb } from '../registry/resource.js';

/** The attributes of a request from its method and path (k8s.io/apiserver/pkg/endpoints/request). */
export interface RequestInfo {
  path: string;
  /** Set for requests below a group version; otherwise the path is a non-resource path. */
  resource: ResourceRequest | undefined;
  /** `create`, `watch`, … for resources; the method in lower case for other paths. */
  verb: string;
}

export interface ResourceRequest {
  verb: Verb;
  group: string;
  version: string;
  plural: string;
  subresource: string | undefined;
  /** Empty for the cluster scope and for all namespaces. */
  namespace: string;
  /** Name of the object; empty for a collection. */
  name: string;
}

const namespaceSubresources = ['status', 'finalize'];

/** Parses the method and URL. Undefined parts mean a non-resource path. */
export function requestInfo(method: string, url: URL): RequestInfo {
  const path = url.pathname;
  const parts = path.split('/').filter((part) => part !== '');
  const place = groupVersion(parts);
  if (place === undefined || place.rest.length === 0) {
    return { path, resource: undefined, verb: method.toLowerCase() };
  }
  const { group, version, rest } = place;
  const target = targetOf(rest.map(decoded));
  const verb = verbOf(method, target.name, url.searchParams);
  if (verb === undefined) return { path, resource: undefined, verb: method.toLowerCase() };
  return { path, verb, resource: { verb, group, version, ...target } };
}

/** Returns a segment with invalid escapes unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function groupVersion(parts: string[]): { group: string; version: string; rest: string[] } | undefined {
  const [root, second, third] = parts;
  if (root === 'api' && second !== undefined) return { group: '', version: second, rest: parts.slice(2) };
  if (root === 'apis' && second !== undefined && third !== undefined) {
    return { group: second, version: third, rest: parts.slice(3) };
  }
  return undefined;
}

function targetOf(rest: string[]): Pick<ResourceRequest, 'plural' | 'subresource' | 'namespace' | 'name'> {
  const [first = '', second, third, fourth, ...deeper] = rest;
  const ofNamespace = third === undefined || namespaceSubresources.includes(third);
  if (first !== 'namespaces' || ofNamespace || second === undefined) {
    const namespace = first === 'namespaces' ? (second ?? '') : '';
    return { plural: first, name: second ?? '', subresource: third, namespace };
  }
  const [subresource] = deeper;
  return { plural: third, name: fourth ?? '', subresource, namespace: second };
}

function verbOf(method: string, name: string, query: URLSearchParams): Verb | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (name !== '') return 'get';
      return isTrue(query.get('watch')) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

/** Returns whether a boolean query parameter is true: present and neither `false` nor `0`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0';
}
