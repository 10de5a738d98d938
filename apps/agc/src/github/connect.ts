import { readFileSync } from 'node:fs';
import type { Clock, Logger, OrProblem } from '@interlock/base';
import { createBroker, type AppCredential, type Broker, type BrokerMetrics } from '@interlock/broker';
import { UsageError, type FlagValues } from '@interlock/service/flags';
import type { agcFlags } from '../flags.js';
import { proxyVariables } from './proxy-variables.js';

interface ConnectOptions {
  flags: FlagValues<typeof agcFlags>;
  credential: (signal: AbortSignal) => Promise<OrProblem<AppCredential>>;
  metrics: BrokerMetrics;
  /** Also the clock by which the end of a lock is given. */
  clock: Clock;
  log: Logger;
  /** Uniform in [0, 1). */
  random: () => number;
}

/**
 * Creates the connection to GitHub from the flags and the proxy variables of the environment; makes no call.
 *
 * @throws UsageError when no URL of GitHub is given
 * @throws TypedError `Invalid` when that URL cannot be used
 */
export function connectGithub({ flags, ...others }: ConnectOptions): Broker {
  const { githubUrl, githubApiUrl, caFile, allowedHosts, allowHttp, dialect, hourlyBudget } = flags;
  if (githubUrl === '') {
    throw new UsageError(
      'set --github-url, or GITHUB_ORG_URL, to the organization or repository whose jobs are run',
    );
  }
  const { url: proxyUrl, noProxy } = proxyVariables(process.env);
  return createBroker({
    githubUrl,
    apiUrl: githubApiUrl === '' ? undefined : githubApiUrl,
    ...others,
    allowedHosts,
    allowHttp,
    dialect,
    hourlyBudget,
    ca: authoritiesOf(caFile, process.env),
    proxy: proxyUrl === undefined ? undefined : { url: proxyUrl, noProxy },
  });
}

/**
 * Returns the certificates that are trusted in addition to those of Node.js. Such a list replaces NODE_EXTRA_CA_CERTS, which has
 * the authority of the proxy, so the certificates in that file are included.
 *
 * @param caFile the path of the file; empty when there is none
 */
export function authoritiesOf(caFile: string, environment: NodeJS.ProcessEnv): string | undefined {
  if (caFile === '') return undefined;
  const files = [caFile, environment['NODE_EXTRA_CA_CERTS'] ?? ''];
  return files.flatMap((file) => (file === '' ? [] : [readFileSync(file, 'utf8')])).join('\n');
}
