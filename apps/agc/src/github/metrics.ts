import type { BrokerMetrics } from '@interlock/broker';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const prefix = 'actions_gateway_';
/** Upper bounds in seconds: an acquisition takes half a second, and a poll takes 50 seconds. */
const buckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Creates the metrics of calls to GitHub; may be called once per registry. */
export function prometheusBrokerMetrics(registry: Registry, namespace: string): BrokerMetrics {
  const describe = (name: string, help: string, labelNames: string[]) => ({
    name: prefix + name,
    help,
    labelNames: ['namespace', ...labelNames],
    registers: [registry],
  });
  const calls = new Counter(describe('github_calls_total', 'Calls to GitHub.', ['endpoint', 'outcome']));
  const pollErrors = new Counter(
    describe('message_poll_errors_total', 'Failed polls for messages.', ['reason']),
  );
  const refreshes = new Counter(
    describe('token_refreshes_total', 'Installation tokens that were issued.', []),
  );
  const refreshErrors = new Counter(
    describe('token_refresh_errors_total', 'Failed requests for installation tokens.', []),
  );
  const seconds = new Histogram({
    ...describe('github_call_seconds', 'Duration of calls to GitHub, including polls.', ['endpoint']),
    buckets,
  });
  const waits = new Histogram({
    ...describe('github_wait_seconds', 'Time that calls waited for the rate limit.', ['endpoint']),
    buckets,
  });
  const budget = new Gauge(
    describe('github_budget_remaining', 'Calls that are left in the hourly budget.', ['host']),
  );
  const messages = new Counter(
    describe('broker_messages_total', 'Messages that the broker delivered.', ['type']),
  );
  return {
    called(endpoint, outcome, duration) {
      calls.inc({ namespace, endpoint, outcome });
      seconds.observe({ namespace, endpoint }, duration);
      if (endpoint === 'poll' && outcome !== 'ok' && outcome !== 'aborted') {
        pollErrors.inc({ namespace, reason: pollReason(outcome) });
      }
      if (endpoint !== 'appToken') return;
      if (outcome === 'ok') refreshes.inc({ namespace });
      else refreshErrors.inc({ namespace });
    },
    waited: (endpoint, duration) => waits.observe({ namespace, endpoint }, duration),
    remaining: (host, left) => budget.set({ namespace, host }, left),
    received: (type) => messages.inc({ namespace, type }),
  };
}

/** Returns the label value for the outcome of a poll. */
function pollReason(outcome: string): string {
  if (outcome === 'RateLimited') return 'rate_limited';
  return outcome === 'Timeout' ? 'timeout' : 'other';
}
