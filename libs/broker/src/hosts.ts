import { messageOf, TypedError } from '@interlock/api';
import { Problem } from '@interlock/base';

interface HostRulesOptions {
  /** The URL of the organization, repository or enterprise. */
  githubUrl: string;
  /** Base of the REST API. */
  apiUrl: string;
  /** Further hosts that may receive the tokens of runners and jobs: `name` or `*.suffix`. */
  allowedHosts?: readonly string[] | undefined;
  /** Permits `http:`, for a service on this machine. */
  allowHttp?: boolean | undefined;
}

const actionsSuffix = '*.actions.githubusercontent.com';

/**
 * Decides which host may receive which credential. The token of the App is sent only to the REST API; the tokens of runners and
 * jobs are sent to hosts that GitHub owns, to the configured GitHub itself, and to hosts that the operator has listed.
 */
export class HostRules {
  readonly #api: URL;
  readonly #patterns: readonly string[];
  readonly #allowHttp: boolean;

  constructor(options: HostRulesOptions) {
    this.#api = new URL(options.apiUrl);
    this.#allowHttp = options.allowHttp ?? false;
    this.#patterns = [...patternsFor(options), ...(options.allowedHosts ?? [])].map((one) =>
      one.toLowerCase(),
    );
  }

  /** Checks a URL that is to receive the token of the App. @throws TypedError `Permanent` naming the host */
  checkApi(url: string): URL {
    const parsed = this.#parse(url);
    if (parsed.origin === this.#api.origin) return parsed;
    throw refused(`the token of the GitHub App is only for ${this.#api.host}, not for ${parsed.host}`);
  }

  /** Checks a URL that is to receive the token of a runner or of a job. @throws TypedError `Permanent` naming the host */
  checkService(url: string): URL {
    const parsed = this.#parse(url);
    if (this.#patterns.some((pattern) => matchesHost(pattern, parsed.hostname))) return parsed;
    throw refused(
      `the service names the host ${parsed.host}, which may not receive tokens; if the host is correct, add it to allowedHosts`,
    );
  }

  /** Returns why a URL may not receive the token of a runner or of a job, with the host; undefined if it may. */
  serviceProblem(url: string): Problem | undefined {
    try {
      this.checkService(url);
      return undefined;
    } catch (error) {
      return new Problem('HostNotAllowed', messageOf(error), { transient: false });
    }
  }

  #parse(url: string): URL {
    if (!URL.canParse(url)) throw refused('the service names a URL that cannot be parsed');
    const parsed = new URL(url);
    const isAllowed = parsed.protocol === 'https:' || (parsed.protocol === 'http:' && this.#allowHttp);
    if (!isAllowed)
      throw refused(
        `the service names a URL of ${parsed.host} that does not begin with https://, and allowHttp is not set`,
      );
    if (parsed.username !== '' || parsed.password !== '') {
      throw refused(
        `the service names a URL of ${parsed.host} that contains a user or a password, which is not allowed`,
      );
    }
    return parsed;
  }
}

function patternsFor({ githubUrl, apiUrl }: HostRulesOptions): string[] {
  const host = new URL(githubUrl).hostname.toLowerCase();
  const own = new URL(apiUrl).hostname;
  if (host === 'github.com' || host === 'www.github.com') return [own, actionsSuffix];
  if (host.endsWith('.ghe.com')) return [own, `*.${host}`, actionsSuffix];
  return [own, host];
}

function matchesHost(pattern: string, host: string): boolean {
  const name = host.toLowerCase();
  return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern;
}

function refused(message: string): TypedError {
  return new TypedError('Permanent', message, { reason: 'HostNotAllowed' });
}
