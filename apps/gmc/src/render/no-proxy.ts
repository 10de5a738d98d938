const always = ['kubernetes.default.svc', 'svc.cluster.local', 'localhost', '127.0.0.1'];

/**
 * Returns the value of NO_PROXY: the entries of the tenant, the names of the cluster, and the addresses of the API server, to which
 * clients connect by address.
 */
export function noProxyOf(ownEntries: readonly string[], apiServer: readonly string[]): string {
  const addresses = apiServer.map((address) => (address.includes(':') ? `[${address}]` : address));
  return [...new Set([...ownEntries, ...always, ...addresses])].join(',');
}
