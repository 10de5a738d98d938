import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { RequestOptions } from 'node:https';
import type { Clock } from '@interlock/base';
import { KubeConfig, type Cluster, type User } from '@kubernetes/client-node';
import { TypedError } from '@interlock/api';
import { ExecPlugin, type ExecConfig } from './exec-plugin.js';
import { impersonationHeaders, mergedImpersonation, type Impersonation } from './impersonation.js';
import { listedFiles, mergedConfig } from './kubeconfig-files.js';
import { userEntryOf } from './user-entry.js';

/** The source of a kubeconfig: a file, its decoded content, or `KUBECONFIG`, `~/.kube/config`, in-cluster. */
export type KubeConfigSource = string | object | undefined;

export interface TlsMaterial {
  ca?: Buffer | string;
  cert?: Buffer | string;
  key?: Buffer | string;
  passphrase?: string;
  servername?: string;
  rejectUnauthorized?: boolean;
}

interface Credentials {
  headers: Record<string, string | string[]>;
  tls: TlsMaterial;
}

export interface CredentialsSource {
  readonly server: URL;
  readonly proxyUrl: string | undefined;
  /**
   * Returns the credentials for the next request. They are read again every few seconds, because token files and
   * certificates are rotated; if that fails, the last ones remain in use.
   */
  current(): Promise<Credentials>;
  /** Forgets credentials that the server refuses: the next ones are read again from their files or the plugin. */
  discard(refused: Credentials): void;
}

const rereadMs = 10_000;
/** What client-node assumes if no file and no pod defines a cluster. A server of this process may listen there. */
const assumed = { context: 'loaded-context', server: 'http://localhost:8080' };

/**
 * Loads the credentials of a kubeconfig's context, by default of the current context. Token files, OIDC, client
 * certificates and basic authentication are read by `@kubernetes/client-node`, which rereads token files every minute.
 *
 * @param impersonate takes precedence over the impersonation of the kubeconfig's user, field by field
 * @throws TypedError `Invalid` when the kubeconfig cannot be read or does not name a cluster, or when it impersonates
 *   groups without a user
 */
export function loadCredentials(
  source: KubeConfigSource,
  clock: Clock,
  context?: string,
  impersonate: Impersonation = {},
): CredentialsSource {
  const { cluster, user: configured } = contextOf(source, context);
  const entry = userEntryOf(source, configured.name);
  const { exec, ...user } = authenticated(configured, entry.tokenFile);
  const plugin = exec ? new ExecPlugin(exec as ExecConfig, { clock, folder: entry.folder, cluster }) : undefined;
  const impersonation = impersonationHeaders(
    mergedImpersonation(entry.impersonation, impersonate, user.name),
  );
  /* This library connects itself: client-node only returns headers and TLS material, and must neither create agents
     for proxies nor refuse plain HTTP. */
  const { proxyUrl, ...direct } = cluster;
  const server = serverUrl(cluster, user);
  const plain = server.protocol === 'http:';
  const newAuth = (): KubeConfig => {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ ...direct, skipTLSVerify: plain || cluster.skipTLSVerify }, user);
    return config;
  };

  let auth = newAuth();
  let read: { until: number; credentials: Promise<Credentials>; result: Credentials | undefined } | undefined;
  return {
    server,
    proxyUrl: proxyUrl || undefined,
    current() {
      if (read === undefined || clock.monotonic() >= read.until) {
        const kept = read?.result;
        const reading = readCredentials(auth, plugin, impersonation);
        /* Like client-go: a file or a plugin that fails for a moment does not make credentials invalid. */
        const credentials = kept === undefined ? reading : reading.catch(() => kept);
        /* A plugin may wait for its user. Like client-go, this process does not start it a second time meanwhile. */
        const mine: typeof read = { until: Infinity, credentials, result: undefined };
        read = mine;
        credentials.then(
          (result) => {
            mine.result = result;
            mine.until = clock.monotonic() + rereadMs;
          },
          () => {
            if (read === mine) read = undefined;
          },
        );
      }
      return read.credentials;
    },
    discard(refused) {
      if (read?.result !== refused) return;
      read = undefined;
      /* client-node keeps tokens by the wall clock, which may be set back. */
      auth = newAuth();
      plugin?.discard();
    },
  };
}

/**
 * Returns the URL of a cluster's server. As in client-go, a server without a scheme is an HTTPS server if the kubeconfig
 * has a certificate or disables the verification of certificates.
 *
 * @throws TypedError `Invalid` when it is not a URL
 */
function serverUrl({ server, caData, caFile, skipTLSVerify }: Cluster, { certData, certFile }: User): URL {
  const usesTls = skipTLSVerify || [caData, caFile, certData, certFile].some(Boolean);
  try {
    return new URL(/^https?:\/\//i.test(server) ? server : `${usesTls ? 'https' : 'http'}://${server}`);
  } catch {
    throw new TypedError('Invalid', `the server of the kubeconfig is not a URL: ${JSON.stringify(server)}`);
  }
}

/** A context of a kubeconfig, with the cluster and the user that it refers to. */
interface ResolvedContext {
  name: string;
  cluster: Cluster;
  user: User;
}

/**
 * Returns a context of a kubeconfig, by default the current context. Paths in it are absolute.
 *
 * @throws TypedError `Invalid` when the kubeconfig cannot be read or does not name a cluster
 */
export function contextOf(source: KubeConfigSource, context?: string): ResolvedContext {
  const listed = source === undefined ? listedFiles() : [];
  let config = new KubeConfig();
  try {
    if (listed.length > 0) config = mergedConfig(listed);
    else if (source === undefined) config.loadFromDefault();
    else if (typeof source === 'string') config.loadFromFile(source);
    else config.loadFromString(JSON.stringify(source));
  } catch (error) {
    throw new TypedError('Invalid', `the kubeconfig cannot be read: ${text(error)}`, { cause: error });
  }
  if (source === undefined && isAssumed(config))
    throw new TypedError(
      'Invalid',
      'there is no kubeconfig, and no service account token of a pod at /var/run/secrets/kubernetes.io/serviceaccount/token; ' +
        'set --kubeconfig or KUBECONFIG, or let the pod mount its token (automountServiceAccountToken)',
    );
  if (context !== undefined) {
    const names = config.getContexts().map(({ name }) => name);
    if (!names.includes(context))
      throw new TypedError(
        'Invalid',
        `the kubeconfig has no context ${JSON.stringify(context)}; it has ${names.join(', ') || 'none'}`,
      );
    config.setCurrentContext(context);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new TypedError('Invalid', 'the kubeconfig has no current context with a cluster');
  return {
    name: config.getCurrentContext(),
    cluster,
    user: config.getCurrentUser() ?? { name: 'anonymous' },
  };
}

function isAssumed(config: KubeConfig): boolean {
  return (
    config.getCurrentContext() === assumed.context && config.getCurrentCluster()?.server === assumed.server
  );
}

/**
 * Returns what client-node has to authenticate, without the user to impersonate. A token file is in the form in which
 * client-node describes that of a pod; as in client-go, it takes precedence over a token.
 */
function authenticated({ impersonateUser: _, ...user }: User, tokenFile: string | undefined): User {
  if (tokenFile === undefined) return user;
  const { token: _token, ...rest } = user;
  return { ...rest, authProvider: { name: 'tokenFile', config: { tokenFile } } };
}

async function readCredentials(
  auth: KubeConfig,
  plugin: ExecPlugin | undefined,
  impersonation: Credentials['headers'],
): Promise<Credentials> {
  const options: RequestOptions = {};
  try {
    await auth.applyToHTTPSOptions(options);
    const { token, clientCertificateData, clientKeyData } = (await plugin?.credential()) ?? {};
    if (clientCertificateData) options.cert = clientCertificateData;
    if (clientKeyData) options.key = clientKeyData;
    /* Like in client-go, a token of the kubeconfig takes precedence. */
    if (token) options.headers = { Authorization: `Bearer ${token}`, ...options.headers };
    checkPair(tlsOf(options));
  } catch (error) {
    throw new TypedError('Transient', `the credentials for the cluster cannot be obtained: ${text(error)}`, {
      reason: 'CredentialsUnavailable',
      cause: error,
    });
  }
  const headers: Credentials['headers'] = { ...impersonation };
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value.trim();
  }
  if (typeof options.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  }
  return { headers, tls: tlsOf(options) };
}

/** Refuses a client certificate without its key, such as one of two files of which only the first has been replaced yet. */
function checkPair({ cert, key, passphrase }: TlsMaterial): void {
  if (cert === undefined || key === undefined) return;
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey({ key, passphrase }))) return;
  throw new Error('the client key does not belong to the client certificate');
}

function tlsOf(options: RequestOptions): TlsMaterial {
  const tls: TlsMaterial = {};
  const { ca, cert, key, passphrase, servername, rejectUnauthorized } = options;
  if (isPem(ca)) tls.ca = ca;
  if (isPem(cert)) tls.cert = cert;
  if (isPem(key)) tls.key = key;
  if (passphrase !== undefined) tls.passphrase = passphrase;
  if (servername !== undefined) tls.servername = servername;
  if (rejectUnauthorized !== undefined) tls.rejectUnauthorized = rejectUnauthorized;
  return tls;
}

function isPem(value: unknown): value is Buffer | string {
  return typeof value === 'string' || Buffer.isBuffer(value);
}

/** Returns the message of a thrown value. Errors of Node itself may not be instances of this realm's `Error`. */
function text(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
