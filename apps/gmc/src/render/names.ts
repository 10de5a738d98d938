/** The fixed names of the objects of a tenant. A namespace has one set of them. */
export const names = {
  controller: 'actions-gateway-controller',
  proxy: 'actions-gateway-proxy',
  workload: 'actions-gateway-workload',
  proxyTls: 'actions-gateway-proxy-tls',
  /** The copy of a credential of another namespace. */
  credential: 'actions-gateway-credential',
} as const;

/** Port on which the proxy listens. */
export const ports = { proxy: 8080, metrics: 8080, probes: 8081, proxyMetrics: 8443 } as const;

/** Where the certificate authority of the proxy is mounted. */
export const proxyCaFile = '/etc/actions-gateway/proxy-ca/ca.crt';

/** Where the certificate authorities of GitHub are mounted. */
export const gitHubCaFolder = '/etc/actions-gateway/github-ca';

/** Returns the URL of the egress proxy of a namespace. */
export function proxyUrl(namespace: string): string {
  return `https://${names.proxy}.${namespace}.svc:${ports.proxy}`;
}

/**
 * Returns the URL of the egress proxy for workers. It has no TLS: most programs of jobs, such as wget, the HTTP client of GitHub's actions
 * and Python's urllib, cannot connect to a proxy by TLS. The connections through the proxy are encrypted from end to end.
 */
export function workerProxyUrl(namespace: string): string {
  return proxyUrl(namespace).replace('https:', 'http:');
}

/** Returns the host names of the proxy of a namespace, for its certificate. */
export function proxyHosts(namespace: string): readonly [string, ...string[]] {
  const service = `${names.proxy}.${namespace}`;
  return [`${service}.svc`, `${service}.svc.cluster.local`, service, names.proxy];
}

/** Returns the name of the RunnerGroup that a gateway creates for a group. */
export function runnerGroupName(gateway: string, group: string): string {
  return `${gateway}-${group}`;
}
