const always = ['kubernetes.default.svc', 'svc.cluster.local', 'localhost', '127.0.0.1'];

/**
 * Returns the value of NO_PROXY: the entries of the tenant, the names of the cluster, and the addresses of the API server, to which
 * clients connect by address. Go and curl match an IPv6 address without brackets, Node.js only with brackets.
 */
export function noProxyOf(ownEntries: readonly string[], apiServer: readonly string[]): string {
  const addresses = apiServer.flatMap((address) =>
    address.includes(':') ? [address, `[${address}]`] : [address],
  );
  return [...new Set([...ownEntries, ...always, ...addresses])].join(',');
}
