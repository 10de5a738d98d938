import { LRUCache } from 'lru-cache';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RateLimit } from './governor/budget.js';

/** The account of a call. `repository` is the name of the GitRepository, empty if the call does not concern one. */
export interface ScmCaller {
  namespace: string;
  provider: string;
  providerKind: string;
  repository: string;
}

export interface ScmCall {
  /** The object of the call: `PullRequest`, `CommitStatus`, `Contents`, `Repository`, `Auth`. */
  api: string;
  /** `get`, `list`, `create`, `update`, `close`, `merge`, … */
  operation: string;
}

export interface ScmMetrics {
  /** Counts one HTTP exchange, successful or not. `responseCode` is the HTTP status, or `error` without a response. */
  called(caller: ScmCaller, call: ScmCall, responseCode: string, seconds: number): void;
  rateLimit(caller: ScmCaller, limit: RateLimit, now: number): void;
}

const providerLabels = ['namespace', 'scm_provider', 'scm_provider_kind'] as const;
const callLabels = ['api', 'operation', 'response_code'] as const;
/** Accounts with series. Tenants can create any number of them, so those of the account with the oldest call are removed. */
const maxAccounts = 1_000;

type Labels<Name extends string> = Record<Name, string>;

/** The series of an account: its labels, and those of its calls by their values. */
interface AccountSeries {
  account: Labels<(typeof providerLabels)[number]>;
  calls: Map<string, Labels<(typeof callLabels)[number]>>;
}

/**
 * Returns metrics that are exposed by `registry`. Call it once for a registry. Calls are not counted by repository, and
 * durations not by provider: their number would grow with the objects of tenants.
 */
export function prometheusScmMetrics(registry: Registry): ScmMetrics {
  const registers = [registry];
  const total = new Counter({
    name: 'scm_calls_total',
    help: 'Calls to SCM APIs.',
    labelNames: [...providerLabels, ...callLabels],
    registers,
  });
  const duration = new Histogram({
    name: 'scm_calls_duration_seconds',
    help: 'Duration of calls to SCM APIs, without the wait for the rate limit.',
    labelNames: callLabels,
    buckets: [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
    registers,
  });
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `scm_calls_rate_limit_${name}`, help, labelNames: providerLabels, registers });
  const limit = gauge('limit', 'Calls allowed in the current window.');
  const remaining = gauge('remaining', 'Calls left in the current window.');
  const reset = gauge('reset_remaining_seconds', 'Seconds until the window ends, as last reported.');

  const accounts = new LRUCache<string, AccountSeries>({
    max: maxAccounts,
    dispose({ account, calls }) {
      for (const labels of calls.values()) total.remove({ ...account, ...labels });
      for (const metric of [limit, remaining, reset]) metric.remove(account);
    },
  });
  const seriesOf = (caller: ScmCaller): AccountSeries => {
    const account = labelsOf(caller);
    const key = Object.values(account).join('/');
    const series = accounts.get(key) ?? { account, calls: new Map() };
    accounts.set(key, series);
    return series;
  };

  return {
    called(caller, call, responseCode, seconds) {
      const { account, calls } = seriesOf(caller);
      const labels = { api: call.api, operation: call.operation, response_code: responseCode };
      calls.set(Object.values(labels).join('/'), labels);
      total.inc({ ...account, ...labels });
      duration.observe(labels, seconds);
    },
    rateLimit(caller, stated, now) {
      const { account } = seriesOf(caller);
      limit.set(account, stated.limit);
      remaining.set(account, stated.remaining);
      reset.set(account, Math.max(0, (stated.resetAt - now) / 1000));
    },
  };
}

function labelsOf(caller: ScmCaller) {
  return {
    namespace: caller.namespace,
    scm_provider: caller.provider,
    scm_provider_kind: caller.providerKind,
  };
}

/** Metrics for programs that do not expose any. */
export const noScmMetrics: ScmMetrics = { called: () => undefined, rateLimit: () => undefined };
