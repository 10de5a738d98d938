import { readFileSync } from 'node:fs';
import { TypedError } from '@interlock/api';
import { contextOf, type KubeConfigSource } from './credentials.js';

/** Where a cluster is, without credentials. */
interface ClusterEntry {
  /** The name of the context. */
  context: string;
  /** URL of the API server. */
  server: string;
  /** The value of `cluster` in another kubeconfig: it does not refer to files. */
  cluster: Readonly<Record<string, string | boolean>>;
}

/**
 * Returns where the cluster of a kubeconfig's context is, by default of the current one.
 * @throws `Invalid` when the kubeconfig or the file with its authority cannot be read, or names no cluster
 */
export function readClusterEntry(source: KubeConfigSource, context?: string): ClusterEntry {
  const { name, cluster } = contextOf(source, context);
  const { server, tlsServerName, skipTLSVerify, proxyUrl } = cluster;
  const authority = cluster.caData || authorityOf(cluster.caFile);
  return {
    context: name,
    server,
    cluster: {
      server,
      ...(authority && { 'certificate-authority-data': authority }),
      ...(tlsServerName && { 'tls-server-name': tlsServerName }),
      ...(skipTLSVerify && { 'insecure-skip-tls-verify': true }),
      ...(proxyUrl && { 'proxy-url': proxyUrl }),
    },
  };
}

/** Returns the PEM of a file in base64. */
function authorityOf(file: string | undefined): string | undefined {
  if (!file) return undefined;
  try {
    return readFileSync(file).toString('base64');
  } catch (error) {
    throw new TypedError(
      'Invalid',
      `the kubeconfig's certificate authority cannot be read: ${String(error)}`,
      {
        cause: error,
      },
    );
  }
}
