import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusAgcMetrics } from './metrics.js';

test('the series of a RunnerGroup that was deleted are removed, and those of others stay', async () => {
  const registry = new Registry();
  const metrics = prometheusAgcMetrics(registry, 'team-a');
  const report = (runner_group: string): void => {
    metrics.count('jobs_acquired_total', { runner_group });
    metrics.count('jobs_ended_total', { runner_group, ending: 'reported' });
    metrics.set('jobs_active', { runner_group }, 1);
    metrics.observe('job_duration_seconds', { runner_group }, 5);
  };
  report('other');
  const before = await registry.metrics();
  report('deleted');
  await metrics.forget('deleted');
  expect(await registry.metrics()).toBe(before);
});

test('a job of six hours is counted in a bucket of its own length', async () => {
  const registry = new Registry();
  const metrics = prometheusAgcMetrics(registry, 'team-a');
  metrics.observe('job_duration_seconds', { runner_group: 'linux' }, 6 * 3600);
  const text = await registry.metrics();
  const counted = /^actions_gateway_job_duration_seconds_bucket\{le="(\d+)",.*\} 1$/m.exec(text);
  expect(Number(counted?.[1])).toBeLessThan(12 * 3600);
});
