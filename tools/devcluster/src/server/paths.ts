import type { Cluster } from '../api/cluster.js';
import type { JsonObject } from '../schema/types.js';
import type { Answer } from './answer.js';
import { aggregatedDiscovery, coreVersions, groupList, oneGroup, resourceList } from './discovery.js';
import { wantsAggregatedDiscovery } from './negotiate.js';
import { openApi } from './openapi.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const HEALTH = ['healthz', 'livez', 'readyz'];

/** `/version`: the release whose behaviour is followed. */
const VERSION: JsonObject = {
  major: '1',
  minor: '35',
  gitVersion: 'v1.35.0+devcluster',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2025-12-17T00:00:00Z',
  goVersion: 'go1.25.0',
  compiler: 'gc',
  platform: 'linux/amd64',
};

/** Answers the documents outside of the resources: discovery, version, OpenAPI, health. */
export function handlePath(cluster: Cluster, url: URL, accept: string | undefined, host: string): Answer {
  const [first = '', second, third] = url.pathname.split('/').filter((part) => part !== '');
  if (HEALTH.includes(first)) return { code: 200, body: 'ok', contentType: 'text/plain; charset=utf-8' };
  const document = documentOf(cluster, [first, second, third], accept, host);
  if (document !== undefined) return document;
  return (
    openApi(cluster, url.pathname) ?? {
      code: 404,
      body: '404 page not found\n',
      contentType: 'text/plain; charset=utf-8',
    }
  );
}

function documentOf(
  cluster: Cluster,
  [first, second, third]: (string | undefined)[],
  accept: string | undefined,
  host: string,
): Answer | undefined {
  const answer = (body: JsonObject | undefined): Answer | undefined => body && { code: 200, body };
  if (first === undefined || first === '') return answer(rootPaths(cluster));
  if (first === 'version' && second === undefined) return answer(VERSION);
  if (first !== 'api' && first !== 'apis') return undefined;
  if (second === undefined && wantsAggregatedDiscovery(accept)) {
    return { code: 200, body: aggregatedDiscovery(cluster, first === 'api'), contentType: AGGREGATED };
  }
  if (first === 'api') {
    return answer(second === undefined ? coreVersions(host) : resourceList(cluster, '', second));
  }
  if (second === undefined) return answer(groupList(cluster));
  return answer(third === undefined ? oneGroup(cluster, second) : resourceList(cluster, second, third));
}

function rootPaths(cluster: Cluster): JsonObject {
  const groups = cluster.registry
    .all()
    .flatMap(({ group, version }) => (group === '' ? [] : [`/apis/${group}`, `/apis/${group}/${version}`]));
  const fixed = [
    '/api',
    '/api/v1',
    '/apis',
    ...HEALTH.map((name) => `/${name}`),
    '/openapi/v2',
    '/openapi/v3',
    '/version',
  ];
  return { paths: [...new Set([...fixed, ...groups])].sort() };
}
