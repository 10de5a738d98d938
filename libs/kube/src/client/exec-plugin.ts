import { execFile } from 'node:child_process';
import type { Clock } from '@interlock/base';

/** The field `exec` of a user of a kubeconfig. */
export interface ExecConfig {
  command?: string;
  args?: readonly string[] | null;
  env?: readonly { name: string; value: string }[] | null;
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
  readonly #clock: Clock;
  #kept: { credential: ExecCredential; expires: number } | undefined;

  constructor(config: ExecConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
  }

  /**
   * Returns the credential; starts the plugin if there is none that is valid.
   *
   * @throws Error when the plugin fails, or returns no credential
   */
  async credential(): Promise<ExecCredential> {
    if (this.#kept !== undefined && this.#clock.now() < this.#kept.expires) return this.#kept.credential;
    const status = statusIn(await run(this.#config));
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
function run({ command, args, env }: ExecConfig): Promise<string> {
  if (!command) throw new Error('the field exec of the kubeconfig has no command');
  const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...own }, maxBuffer: maxBytes };
    const child = execFile(command, args ?? [], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      if (typeof error.code === 'string') return reject(error);
      /* Otherwise, the message of the error quotes the arguments, which may be secret. */
      return reject(new Error(stderr || `the plugin ended with ${error.signal ?? error.code}`));
    });
    child.stdin?.end();
  });
}
