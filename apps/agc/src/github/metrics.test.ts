import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusBrokerMetrics } from './metrics.js';

it('counts failed polls by their reason, and does not count polls that end with the process', async () => {
  const registry = new Registry();
  const metrics = prometheusBrokerMetrics(registry, 'team-a');
  for (const outcome of [
    'ok',
    'aborted',
    'RateLimited',
    'RateLimited',
    'Timeout',
    'AnswerLost',
    'ServerError',
  ])
    metrics.called('poll', outcome, 1);
  metrics.called('acquire', 'RateLimited', 1);
  const [counter] = (await registry.getMetricsAsJSON()).filter(({ name }) =>
    name.endsWith('poll_errors_total'),
  );
  const counts = counter?.values.map(({ labels, value }) => [labels['reason'], value]);
  expect(counter?.name).toBe('actions_gateway_message_poll_errors_total');
  expect(counts).toEqual([
    ['rate_limited', 2],
    ['timeout', 1],
    ['other', 2],
  ]);
});
