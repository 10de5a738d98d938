import { readFileSync } from 'node:fs';
import { TypedError } from '@interlock/api';
import { contextOf, type KubeConfigSource } from './credentials.js';

/** The address of a cluster, without credentials. */
interface ClusterEntry {
  /** The name of the context. */
  context: string;
  /** URL of the API server. */
  server: string;
  /** The value of `cluster` for another kubeconfig, without references to files. */
  cluster: Readonly<Record<string, string | boolean>>;
}

/**
 * Returns the cluster of a kubeconfig's context, by default of the current context.
 *
 * @throws TypedError `Invalid` when the kubeconfig or the file with its authority cannot be read, or does not name a
 *   cluster
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

/** Returns the content of a PEM file in base64. */
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
