import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusAgcMetrics } from '../metrics.js';
import { jobEvents } from './conclude.js';
import { countJob } from './count.js';
import { ended, now, observedJob, pod, settings } from './testing/builders.js';

it.each<[maxQuotaRetries: number, isLast: boolean, counted: string[], reason: string]>([
  [5, false, ['actions_gateway_quota_retries_total'], 'WorkerPodCreateFailed'],
  [5, true, ['actions_gateway_quota_retries_exhausted_total'], 'QuotaRetriesExhausted'],
  [0, true, [], 'WorkerPodCreateFailed'],
])(
  'with %i quota retries, a refusal by a quota (the last one: %j) counts as %j and is reported as %s',
  async (maxQuotaRetries, isLast, counted, reason) => {
    const observed = observedJob({ settings: { ...settings, maxQuotaRetries } });
    const decision = { type: 'create' } as const;
    const outcome = { type: 'refused', message: 'exceeded quota', isQuota: true, isLast } as const;
    const registry = new Registry();
    countJob(prometheusAgcMetrics(registry, 'team-a'), observed, decision, outcome, now);
    const metrics = await registry.getMetricsAsJSON();
    const names = metrics.filter(({ name, values }) => name.includes('quota_retries') && values.length > 0);
    expect(names.map(({ name }) => name)).toEqual(counted);
    expect(jobEvents(observed, decision, outcome).map((event) => event.reason)).toEqual([reason]);
  },
);

it.each([
  ['its result', 'reported', false, []],
  ['a cancellation at the end of its lifetime', 'reported', true, ['WorkerPodLifetimeExceeded']],
  ['nothing at the end of its lifetime', 'deadline', true, ['WorkerPodLifetimeExceeded']],
  ['nothing', 'crashed', false, ['JobDisrupted']],
] as const)('the end of a job whose runner has reported %s has the right event', (...given) => {
  const [, ending, isDeadline, reasons] = given;
  const observed = observedJob({ pod: { ...pod, end: { ...ended, isDeadline } } });
  const decision = { type: 'conclude', end: { ending, at: now, message: 'm' } } as const;
  const events = jobEvents(observed, decision, { type: 'concluded', rerun: 'none' });
  expect(events.map((event) => event.reason)).toEqual(reasons);
});
