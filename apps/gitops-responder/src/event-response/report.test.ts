import type { EventResponseStatus } from '@interlock/api';
import type { EventRecorder } from '@interlock/kube';
import { metricSum } from '@interlock/kube/testing';
import { responseOf } from '@interlock/responding/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusResponderMetrics, type ResponderMetrics } from '../metrics.js';
import { report } from './report.js';
import { StatusBuilder } from './status.js';
import { begun, now, opened, request } from './testing/observe.js';

const prefix = 'ugallu_gitops_responder';
const response = responseOf();
const build = (status: EventResponseStatus | undefined): StatusBuilder =>
  new StatusBuilder({ ...response, ...(status && { status }) }, now);
const missed = build(undefined).condition('routed', 'False', 'NoRoute', 'm').build();

let registry: Registry;
let metrics: ResponderMetrics;
let told: string[];
const events: Pick<EventRecorder, 'recordTransitions'> = {
  recordTransitions(_, __, before, after, typeOf) {
    const known = (before ?? []).map(({ type, reason }) => `${type} ${reason}`);
    for (const condition of after ?? []) {
      if (!known.includes(`${condition.type} ${condition.reason}`)) {
        told.push(`${typeOf(condition)} ${condition.type} ${condition.reason}`);
      }
    }
  },
};
beforeEach(() => {
  registry = new Registry();
  metrics = prometheusResponderMetrics(registry);
  told = [];
});

/** Statuses are written one after the other. */
function write(...statuses: (EventResponseStatus | undefined)[]): void {
  for (const [index, after] of statuses.slice(1).entries()) {
    report(response, statuses[index], after ?? {}, { events, metrics }, now);
  }
}

describe('report', () => {
  it.each<[string, (EventResponseStatus | undefined)[], Record<string, number>]>([
    ['nothing that is under way', [undefined, begun, { ...begun, attempts: 2 }], {}],
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
    ['no end twice', [opened, { ...opened, phase: 'Cancelled' }], {}],
  ])('counts %s', async (_, statuses, outcomes) => {
    const outcome = { type: 'ActionTaken' as const };
    write(...statuses.map((status) => (status === opened ? { ...opened, outcome } : status)));
    for (const [name, count] of Object.entries(outcomes)) {
      expect(await metricSum(registry, `${prefix}_dispatches_total`, { outcome: name })).toBe(count);
    }
    const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    expect(await metricSum(registry, `${prefix}_dispatches_total`)).toBe(all);
  });

  it('counts a response without a route once, and how long a merge took', async () => {
    write(undefined, missed, { ...missed, attempts: 0 });
    expect(await metricSum(registry, `${prefix}_routing_misses_total`)).toBe(1);
    write(opened, { ...opened, stage: 'Merged' }, { ...opened, stage: 'Merged' });
    expect(await metricSum(registry, `${prefix}_time_to_merge_seconds`, { le: '60' })).toBe(1);
  });

  it('tells of conditions once, as a warning where somebody has to do something', () => {
    const submitted = build(missed).condition('routed', 'True', 'Routed', 'm').request(request);
    const failed = build(submitted.build()).failed({ type: 'Permanent', reason: 'Because' });
    write(undefined, missed, missed, submitted.build(), failed.build());
    expect(told).toEqual(['Warning Routed NoRoute', 'Normal Routed Routed', 'Warning Stalled Because']);
  });
});
