import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Cluster } from '../api/cluster.js';
import type { JsonObject } from '../schema/types.js';
import { asYaml, type Answer } from './answer.js';
import { aggregatedDiscovery, coreVersions, groupList, oneGroup, resourceList } from './discovery.js';
import { negotiateDocument, wantsAggregatedDiscovery } from './negotiate.js';
import { openApi } from './openapi.js';
import { openApiV2 } from './openapi-v2.js';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const text = 'text/plain; charset=utf-8';
const healthPaths = ['healthz', 'livez', 'readyz'];
const checks = ['ping', 'etcd'];

/** `/version`: the emulated release. */
const version = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.0+devcluster',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-04-22T00:00:00Z',
  goVersion: 'go1.26.0',
  compiler: 'gc',
  platform: 'linux/amd64',
};

/** Returns the non-resource documents: discovery, version, OpenAPI, health. Throws a 406. */
export function handlePath(cluster: Cluster, url: URL, headers: IncomingHttpHeaders): Answer {
  const parts = url.pathname.split('/').filter((part) => part !== '');
  return (
    health(parts, url.searchParams) ??
    discovery(cluster, parts, headers) ??
    document(cluster, parts, headers) ??
    openApi(cluster, url.pathname) ?? { code: 404, body: '404 page not found\n', contentType: text }
  );
}

/**
 * Returns the response of a health endpoint such as `/livez`, for all checks or for one check. With `verbose`, lists
 * all checks.
 */
function health([first = '', check, ...deeper]: string[], query: URLSearchParams): Answer | undefined {
  if (!healthPaths.includes(first) || deeper.length > 0) return undefined;
  if (check !== undefined && !checks.includes(check)) return undefined;
  const verbose = check === undefined && query.has('verbose');
  const lines = checks.map((name) => `[+]${name} ok\n`).join('');
  return { code: 200, body: verbose ? `${lines}${first} check passed\n` : 'ok', contentType: text };
}

function document(
  cluster: Cluster,
  [first, second, third]: string[],
  headers: IncomingHttpHeaders,
): Answer | undefined {
  if (first === undefined) return { code: 200, body: rootPaths(cluster) };
  if (first === 'openapi' && second === 'v2' && third === undefined) {
    return openApiV2(version.gitVersion, headers.accept);
  }
  return first === 'version' && second === undefined ? { code: 200, body: version } : undefined;
}

function discovery(
  cluster: Cluster,
  [first, second, third]: string[],
  headers: IncomingHttpHeaders,
): Answer | undefined {
  if (first !== 'api' && first !== 'apis') return undefined;
  if (second === undefined && wantsAggregatedDiscovery(headers.accept)) {
    return cacheable(aggregatedDiscovery(cluster, first === 'api'), headers['if-none-match']);
  }
  const body = plainDiscovery(cluster, first === 'api' ? ['', second] : [second, third], headers.host ?? '');
  if (body === undefined) return undefined;
  const answer = { code: 200, body };
  return negotiateDocument(headers.accept) === 'yaml' ? asYaml(answer) : answer;
}

function plainDiscovery(
  cluster: Cluster,
  [group, version]: [string | undefined, string | undefined],
  host: string,
): JsonObject | undefined {
  if (group === undefined) return groupList(cluster);
  if (version !== undefined) return resourceList(cluster, group, version);
  return group === '' ? coreVersions(host) : oneGroup(cluster, group);
}

/** Returns aggregated discovery with its ETag, or a 304 when the client has it. */
function cacheable(body: JsonObject, known: string | undefined): Answer {
  const text = JSON.stringify(body);
  const etag = `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"`;
  const headers = { ETag: etag, Vary: 'Accept', 'Cache-Control': 'public' };
  if (known === etag) return { code: 304, body: '', headers };
  return { code: 200, body: text, contentType: aggregated, headers };
}

function rootPaths(cluster: Cluster): JsonObject {
  const groups = cluster.registry
    .all()
    .flatMap(({ group, version }) => (group === '' ? [] : [`/apis/${group}`, `/apis/${group}/${version}`]));
  const health = healthPaths.map((name) => `/${name}`);
  const fixed = ['/api', '/api/v1', '/apis', ...health, '/openapi/v2', '/openapi/v3', '/version'];
  return { paths: [...new Set([...fixed, ...groups])].sort() };
}
