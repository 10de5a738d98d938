import { conditionSeverity, type Condition, type EventResponseStatus } from '@interlock/api';
import { changedConditions } from '@interlock/kube';
import { metricSum } from '@interlock/kube/testing';
import { responseOf } from '@interlock/responding/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusResponderMetrics, type ResponderMetrics } from '../metrics.js';
import { announcedConditions, countResponseChanges } from './report.js';
import { StatusBuilder } from './status.js';
import { begun, now, opened, request } from './testing/observe.js';

const prefix = 'ugallu_gitops_responder';
const response = responseOf();
const build = (status: EventResponseStatus | undefined): StatusBuilder =>
  new StatusBuilder({ ...response, ...(status && { status }) }, now);
const undecided = build(undefined).condition('routed', 'False', 'TooManySteps', 'm').build();
const missed = build(undefined).condition('routed', 'False', 'NoRoute', 'm').build();

let registry: Registry;
let metrics: ResponderMetrics;
beforeEach(() => {
  registry = new Registry();
  metrics = prometheusResponderMetrics(registry);
});

/** Counts the changes of statuses that are written one after the other. */
function write(...statuses: (EventResponseStatus | undefined)[]): void {
  for (const [index, after] of statuses.slice(1).entries()) {
    countResponseChanges(metrics, statuses[index], after ?? {}, now);
  }
}

describe('the metrics of responses', () => {
  it.each<[string, (EventResponseStatus | undefined)[], Record<string, number>]>([
    ['nothing in progress', [undefined, begun, { ...begun, attempts: 2 }], {}],
    ['an end', [begun, opened, opened], { ActionTaken: 1 }],
    [
      'a pull request that is rejected later',
      [begun, opened, { ...opened, phase: 'Failed' }],
      { ActionTaken: 1 },
    ],
    ['a failure', [begun, build(begun).failed({ type: 'Permanent' }).build()], { Errored: 1 }],
    ['a cancellation by a reason', [begun, build(begun).cancelled('r').build()], { Cancelled: 1 }],
    [
      'a cancellation by the phase',
      [
        { ...begun, phase: 'Cancelled' },
        build({ ...begun, phase: 'Cancelled' })
          .cancelled('r')
          .build(),
      ],
      { Cancelled: 1 },
    ],
    ['each end only once', [opened, { ...opened, phase: 'Cancelled' }], {}],
  ])('count %s', async (_, statuses, outcomes) => {
    const outcome = { type: 'ActionTaken' as const };
    write(...statuses.map((status) => (status === opened ? { ...opened, outcome } : status)));
    for (const [name, count] of Object.entries(outcomes)) {
      expect(await metricSum(registry, `${prefix}_dispatches_total`, { outcome: name })).toBe(count);
    }
    const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    expect(await metricSum(registry, `${prefix}_dispatches_total`)).toBe(all);
  });

  it('count a response without a route once, and measure the duration of a merge', async () => {
    write(undefined, missed, { ...missed, attempts: 0 }, undecided);
    expect(await metricSum(registry, `${prefix}_routing_misses_total`)).toBe(1);
    write(opened, { ...opened, stage: 'Merged' }, { ...opened, stage: 'Merged' });
    expect(await metricSum(registry, `${prefix}_time_to_merge_seconds`, { le: '60' })).toBe(1);
  });

  it('count a response again when it is retried after its end', async () => {
    const failed = build(begun).failed({ type: 'Permanent' }).build();
    write(begun, failed, begun, { ...opened, outcome: { type: 'ActionTaken' } });
    expect(await metricSum(registry, `${prefix}_dispatches_total`)).toBe(2);
  });
});

describe('the events of responses', () => {
  const announced = (status: EventResponseStatus | undefined): Condition[] =>
    (status?.conditions ?? []).filter(({ type }) => announcedConditions.includes(type));

  it('are emitted once for each change, with a warning if action is required', () => {
    const submitted = build(missed).condition('routed', 'True', 'Routed', 'm').request(request).build();
    const failed = build(submitted).failed({ type: 'Permanent', reason: 'Because' }).build();
    const statuses = [undefined, missed, missed, submitted, failed];
    const events = statuses
      .slice(1)
      .flatMap((after, index) => changedConditions(announced(statuses[index]), announced(after)))
      .map((condition) => `${conditionSeverity(condition)} ${condition.type} ${condition.reason}`);
    expect(events).toEqual(['Warning Routed NoRoute', 'Normal Routed Routed', 'Warning Stalled Because']);
  });
});
