const always = ['kubernetes.default.svc', 'svc.cluster.local', 'localhost', '127.0.0.1'];

/**
 * Returns the value of NO_PROXY: what the tenant names, the names of the cluster, and the addresses of the API server, which
 * clients dial by address.
 */
export function noProxyOf(ownEntries: readonly string[], apiServer: readonly string[]): string {
  const addresses = apiServer.map((address) => (address.includes(':') ? `[${address}]` : address));
  return [...new Set([...ownEntries, ...always, ...addresses])].join(',');
}
