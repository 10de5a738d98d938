import { TypedError } from '@interlock/api';

/** Which servers a process may dial, and how. */
export interface HostRules {
  /**
   * Hosts such as `git.example.com`, with a port if it is not the scheme's. Empty: the public hosts and the hosts of
   * {@link HostRules.clusterProviders}.
   */
  allowed: readonly string[];
  /** Whether a server may be reached without TLS. */
  allowHttp: boolean;
  /** The ClusterScmProviders, which only administrators write; undefined while they are not known. */
  clusterProviders: () => readonly { spec: object }[] | undefined;
}

/** The servers that the plugins use when a provider does not name one. */
const publicHosts = ['github.com', 'gitlab.com'] as const;

/** Decides which servers a process may dial. */
export class HostPolicy {
  readonly #rules: HostRules;
  readonly #allowed: readonly AllowedHost[];
  readonly #originOf: (provider: { spec: object }) => string | undefined;

  /**
   * @param originOf returns the server that a provider names; undefined if it does not name one.
   * @throws TypedError `Invalid` for an allowed host that is not a host.
   */
  constructor(rules: HostRules, originOf: (provider: { spec: object }) => string | undefined) {
    this.#rules = rules;
    this.#allowed = (rules.allowed.length > 0 ? rules.allowed : publicHosts).map(parseHost);
    this.#originOf = originOf;
  }

  /**
   * @param origin such as `https://git.example.com`.
   * @param field the field of the origin, for the error.
   * @throws TypedError `Unauthorized` with reason `HttpNotAllowed` or `HostNotAllowed`; `Transient` while it is not known
   *   which hosts the ClusterScmProviders name.
   */
  check(origin: string, field: string): void {
    const url = new URL(origin);
    if (url.protocol !== 'https:' && !this.#rules.allowHttp) {
      throw new TypedError(
        'Unauthorized',
        `${field}: ${origin} is reached without TLS, so a credential could be intercepted; use https, or start the process with --allow-http`,
        { reason: 'HttpNotAllowed' },
      );
    }
    if (this.#allowed.some((host) => matches(host, url))) return;
    const isListed = this.#rules.allowed.length > 0;
    if (!isListed && this.#isOfClusterProvider(origin, url.host)) return;
    const fix = isListed ? '' : ', or create a ClusterScmProvider that names it';
    throw new TypedError(
      'Unauthorized',
      `${field}: the host ${url.host} is not allowed; add it to the flag --scm-hosts${fix}`,
      { reason: 'HostNotAllowed' },
    );
  }

  #isOfClusterProvider(origin: string, host: string): boolean {
    const providers = this.#rules.clusterProviders();
    if (providers !== undefined) return providers.some((provider) => this.#originOf(provider) === origin);
    throw new TypedError(
      'Transient',
      `the ClusterScmProviders have not been read yet, so it is not known whether the host ${host} is allowed`,
      { reason: 'HostsNotKnown' },
    );
  }
}

interface AllowedHost {
  hostname: string;
  /** Empty for the default port of the scheme. */
  port: string;
}

const schemePorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };

/** Returns a host of the flag, in the spelling of URLs. */
function parseHost(text: string): AllowedHost {
  const url =
    /[/?#@\\\s]/.test(text) || !URL.canParse(`https://${text}`) ? undefined : new URL(`https://${text}`);
  if (url === undefined) {
    throw new TypedError(
      'Invalid',
      `--scm-hosts: ${JSON.stringify(text)} is not a host; write it like git.example.com or git.example.com:8443`,
    );
  }
  /* A URL drops the default port of its scheme, which is significant here. */
  return { hostname: url.hostname, port: /:(\d+)$/.exec(text)?.[1] ?? '' };
}

function matches({ hostname, port }: AllowedHost, url: URL): boolean {
  if (url.hostname !== hostname) return false;
  return port === '' ? url.port === '' : port === (url.port || schemePorts[url.protocol]);
}
