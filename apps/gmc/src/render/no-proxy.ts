const always = ['kubernetes.default.svc', 'svc.cluster.local', 'localhost', '127.0.0.1'];

/**
 * Returns the value of NO_PROXY: the entries of the tenant, the names of the cluster, and the addresses of the API server, to which
 * clients connect by address. An IPv6 address has no brackets: httpx, which jobs may use, fails with them.
 */
export function noProxyOf(ownEntries: readonly string[], apiServer: readonly string[]): string {
  return [...new Set([...ownEntries, ...always, ...apiServer])].join(',');
}
