import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusScmMetrics } from './metrics.js';

test('removes the series of the account with the oldest call when there are too many accounts', async () => {
  const registry = new Registry();
  const metrics = prometheusScmMetrics(registry);
  const call = { api: 'PullRequest', operation: 'get' };
  const use = (provider: string) => {
    const caller = { namespace: 'team', provider, providerKind: 'ScmProvider', repository: 'web' };
    metrics.called(caller, call, '200', 0.1);
    metrics.called(caller, call, '404', 0.1);
    metrics.rateLimit(caller, { limit: 5_000, remaining: 4_000, resetAt: 1_000 }, 0);
  };
  const names = Array.from({ length: 1_000 }, (_, index) => `provider-${index}`);
  names.forEach(use);
  use('provider-0');
  use('another');
  const reported = async (provider: string) =>
    (await registry.metrics()).split('\n').filter((line) => line.includes(`"${provider}"`)).length;
  expect(await reported('provider-0')).toBe(5);
  expect(await reported('provider-1')).toBe(0);
  expect(await reported('another')).toBe(5);
});
