import { TypedError } from '@interlock/api';
import { isProblem, silentLog, systemClock, type Clock, type Logger, type OrProblem } from '@interlock/base';
import { dialects, type Dialect } from './dialect.js';
import { noMetrics, type BrokerMetrics } from './governor/metrics.js';
import { ServiceCaller } from './governor/service-caller.js';
import type { ProxyOptions } from './http/connector.js';
import { createHttpClient, type HttpClient } from './http/http-client.js';
import { HostRules } from './hosts.js';
import type { AppCredential } from './registration/app-credential.js';
import { AppTokens } from './registration/app-tokens.js';
import { GithubApi } from './registration/github-api.js';
import { parseGithubUrl } from './registration/github-url.js';
import { listRepositories } from './registration/repositories.js';
import { Runners } from './registration/runners.js';
import { Runs } from './registration/runs.js';

/** How a process reaches GitHub as one installation of its App. */
export interface BrokerOptions {
  /** URL of the organization, repository or enterprise. */
  githubUrl: string;
  /** Base URL of the REST API; default: the base URL that belongs to `githubUrl`. */
  apiUrl?: string | undefined;
  /** Reads the credential of the App; called for each new token, so that changes of the Secret take effect. */
  credential: (signal: AbortSignal) => Promise<OrProblem<AppCredential>>;
  /** Further hosts that may receive the tokens of runners and jobs: `name` or `*.suffix`. */
  allowedHosts?: readonly string[] | undefined;
  /** Permits `http:`, for a service on this machine. */
  allowHttp?: boolean | undefined;
  proxy?: ProxyOptions | undefined;
  /** PEM certificates that are trusted in addition to those of Node.js. */
  ca?: string | undefined;
  /** Default: `live`. */
  dialect?: Dialect['name'] | undefined;
  /** Calls per hour to each host. Default: 15,000. */
  hourlyBudget?: number | undefined;
  clock?: Clock | undefined;
  /** Uniform in [0, 1). */
  random?: (() => number) | undefined;
  log?: Logger | undefined;
  metrics?: BrokerMetrics | undefined;
  /** Default: one with the proxy and the certificates above. */
  http?: HttpClient | undefined;
}

/** The API of GitHub for one installation of the App, with the budgets of its hosts; all sources of a process share it. */
export interface Broker {
  readonly runners: Runners;
  readonly runs: Runs;
  readonly caller: ServiceCaller;
  readonly hosts: HostRules;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: BrokerMetrics;
  /** Returns the repositories whose jobs the runners may receive, as `owner/name`, up to 500. @throws Refusal */
  repositories(signal: AbortSignal): Promise<string[]>;
  /** Ends all connections. */
  close(): Promise<void>;
}

const defaultHourlyBudget = 15_000;

/** Creates the connection to GitHub, without making a call. @throws TypedError `Invalid` for a URL that cannot be used */
export function createBroker(options: BrokerOptions): Broker {
  const { githubUrl, proxy, ca } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const metrics = options.metrics ?? noMetrics;
  const target = parseGithubUrl(githubUrl, options.apiUrl);
  if (isProblem(target)) throw new TypedError('Invalid', target.message, { reason: target.reason });
  const { allowedHosts, allowHttp } = options;
  const hosts = new HostRules({ githubUrl, apiUrl: target.apiUrl, allowedHosts, allowHttp });
  const http = options.http ?? createHttpClient({ ca, proxy });
  const caller = new ServiceCaller({
    ...{ http, clock, random, metrics },
    hourlyBudget: options.hourlyBudget ?? defaultHourlyBudget,
  });
  const tokens = new AppTokens({
    credential: options.credential,
    apiUrl: target.apiUrl,
    ...{ caller, hosts, clock },
  });
  const api = new GithubApi(target, tokens, caller, hosts);
  return {
    ...{ caller, hosts, clock, random, metrics },
    runners: new Runners(api),
    runs: new Runs(api),
    dialect: dialects[options.dialect ?? 'live'],
    log: options.log ?? silentLog,
    repositories: (signal) => listRepositories(api, signal),
    close: () => http.close(),
  };
}
