import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '@interlock/base';
import type { Cluster } from '@kubernetes/client-node';

/** The field `exec` of a user of a kubeconfig. */
export interface ExecConfig {
  apiVersion?: string;
  command?: string;
  args?: readonly string[] | null;
  env?: readonly { name: string; value: string }[] | null;
  interactiveMode?: string;
  provideClusterInfo?: boolean;
}

/** What a plugin depends on besides its configuration. */
interface ExecContext {
  clock: Clock;
  /** Folder of the kubeconfig, to which a relative path of the plugin refers. */
  folder: string;
  cluster: Cluster;
}

/** The field `status` of an ExecCredential (`client.authentication.k8s.io`). */
interface ExecCredential {
  token?: string;
  clientCertificateData?: string;
  clientKeyData?: string;
  expirationTimestamp?: string;
}

const maxBytes = 1024 * 1024;

/**
 * A credential plugin. Like in client-go, its credential is used until it expires; one without a time until
 * {@link discard}. `@kubernetes/client-node` would start the plugin for each reading of the latter.
 */
export class ExecPlugin {
  readonly #config: ExecConfig;
  readonly #context: ExecContext;
  #kept: { credential: ExecCredential; expires: number } | undefined;

  constructor(config: ExecConfig, context: ExecContext) {
    this.#config = config;
    this.#context = context;
  }

  /**
   * Returns the credential; starts the plugin if there is none that is valid.
   *
   * @throws Error when the plugin fails, or returns no credential
   */
  async credential(): Promise<ExecCredential> {
    if (this.#kept !== undefined && this.#context.clock.now() < this.#kept.expires)
      return this.#kept.credential;
    const status = statusIn(await run(this.#config, this.#context));
    if (!status?.token && !(status?.clientCertificateData && status.clientKeyData))
      throw new Error('the plugin returned neither a token nor a certificate with its key');
    const { expirationTimestamp } = status;
    const expires = expirationTimestamp ? Date.parse(expirationTimestamp) : Infinity;
    if (Number.isNaN(expires)) throw new Error('the plugin returned an invalid expirationTimestamp');
    this.#kept = { credential: status, expires };
    return status;
  }

  /** Forgets the credential. */
  discard(): void {
    this.#kept = undefined;
  }
}

/** Returns the status of an ExecCredential. The error of the parser would quote the text, which may be a token. */
function statusIn(text: string): ExecCredential | null | undefined {
  try {
    return (JSON.parse(text) as { status?: ExecCredential } | null)?.status;
  } catch {
    throw new Error('the plugin did not return JSON');
  }
}

/** Returns the output of the plugin. It inherits the environment, and has no input. */
function run(config: ExecConfig, { folder, cluster }: ExecContext): Promise<string> {
  const { command, args, env, interactiveMode } = config;
  if (!command) throw new Error('the field exec of the kubeconfig has no command');
  if (interactiveMode === 'Always')
    throw new Error('the plugin requires a terminal (interactiveMode: Always), which it does not have here');
  const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  const info = { KUBERNETES_EXEC_INFO: JSON.stringify(requestOf(config, cluster)) };
  const program = command.includes('/') ? resolve(folder, command) : command;
  return new Promise((done, reject) => {
    const options = { env: { ...process.env, ...own, ...info }, maxBuffer: maxBytes };
    const child = execFile(program, args ?? [], options, (error, stdout, stderr) => {
      if (error === null) return done(stdout);
      if (typeof error.code === 'string') return reject(error);
      /* Otherwise, the message of the error quotes the arguments, which may be secret. */
      return reject(new Error(stderr || `the plugin ended with ${error.signal ?? error.code}`));
    });
    child.stdin?.end();
  });
}

/** Returns the ExecCredential that a plugin receives (Kubernetes, "client-go credential plugins", Input and output formats). */
function requestOf({ apiVersion, provideClusterInfo }: ExecConfig, cluster: Cluster): object {
  const spec = { interactive: false, ...(provideClusterInfo && { cluster: infoOf(cluster) }) };
  return { kind: 'ExecCredential', apiVersion, spec };
}

function infoOf({ server, tlsServerName, skipTLSVerify, caData, caFile, proxyUrl }: Cluster): object {
  const authority = caData ?? (caFile ? readFileSync(caFile).toString('base64') : undefined);
  return {
    server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify && { 'insecure-skip-tls-verify': true }),
    ...(authority && { 'certificate-authority-data': authority }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
  };
}
