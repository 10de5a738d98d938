import { describe, expect, it } from '@jest/globals';
import { objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { decide, rescaleFailed, syncPeriodMs, type Observed } from './decide.js';

const now = new Date('2030-01-01T00:00:00Z');
const noMemory: Observed['memory'] = { recommendations: new Map(), changes: [] };

function external(name: string): JsonObject {
  const target = { type: 'AverageValue', averageValue: '10' };
  return { type: 'External', external: { metric: { name }, target } };
}

function autoscaler(spec: JsonObject = {}, status: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace: 'team' },
    spec: { minReplicas: 2, maxReplicas: 6, metrics: [external('queue')], ...spec },
    status,
  };
}

function observed(over: Partial<Observed> = {}, values: Readonly<Record<string, number>> = {}): Observed {
  return {
    autoscaler: autoscaler(),
    scale: { replicas: 3, current: 3, selector: 'app=web' },
    pods: [],
    metricOf: (metric) => values[metric],
    memory: noMemory,
    now,
    ...over,
  };
}

const scale = (replicas: number, selector = 'app=web'): Observed['scale'] => ({
  replicas,
  current: replicas,
  selector,
});

function reasonsOf(status: JsonObject): Record<string, string> {
  const conditions = objectsAt(status, 'conditions');
  return Object.fromEntries(
    conditions.map(({ type, status: value, reason }) => [String(type), `${String(value)} ${String(reason)}`]),
  );
}

describe('A decision about an autoscaler', () => {
  it.each<[string, Observed, number | undefined, Record<string, string>, unknown[]]>([
    [
      'reports a target that has no scale',
      observed({ scale: { problem: 'gone' } }),
      undefined,
      { AbleToScale: 'False FailedGetScale' },
      ['gone'],
    ],
    [
      'does not change a target without replicas',
      observed({ scale: scale(0) }),
      undefined,
      { AbleToScale: 'True SucceededGetScale', ScalingActive: 'False ScalingDisabled' },
      [],
    ],
    [
      'raises a target to the minimum without metrics',
      observed({ scale: scale(1) }),
      2,
      { AbleToScale: 'True SucceededRescale' },
      ['New size: 2; reason: Current number of replicas below Spec.MinReplicas'],
    ],
    [
      'lowers a target to the maximum without metrics',
      observed({ scale: scale(9) }),
      6,
      { AbleToScale: 'True SucceededRescale' },
      ['New size: 6; reason: Current number of replicas above Spec.MaxReplicas'],
    ],
    [
      'requires a selector',
      observed({ scale: scale(3, '') }),
      undefined,
      { AbleToScale: 'True SucceededGetScale', ScalingActive: 'False InvalidSelector' },
      ['selector is required'],
    ],
    [
      'scales by the metric that requires the most replicas',
      observed(
        { autoscaler: autoscaler({ metrics: [external('queue'), external('lag')] }) },
        { queue: 20, lag: 50 },
      ),
      5,
      {
        AbleToScale: 'True SucceededRescale',
        ScalingActive: 'True ValidMetricFound',
        ScalingLimited: 'False DesiredWithinRange',
      },
      ['New size: 5; reason: external metric lag(nil) above target'],
    ],
    [
      'scales up although another metric is missing',
      observed({ autoscaler: autoscaler({ metrics: [external('queue'), external('lag')] }) }, { lag: 50 }),
      5,
      {
        AbleToScale: 'True SucceededRescale',
        ScalingActive: 'True ValidMetricFound',
        ScalingLimited: 'False DesiredWithinRange',
      },
      ['New size: 5; reason: external metric lag(nil) above target'],
    ],
    [
      'does not scale down while a metric is missing',
      observed({ autoscaler: autoscaler({ metrics: [external('queue'), external('lag')] }) }, { lag: 1 }),
      undefined,
      { AbleToScale: 'True SucceededGetScale', ScalingActive: 'False FailedGetExternalMetric' },
      [
        expect.stringMatching(/^failed to get external metric queue: /),
        expect.stringMatching(/^invalid metrics \(1 invalid out of 2\), first error is: failed/),
      ],
    ],
    [
      'scales down',
      observed({}, { queue: 15 }),
      2,
      {
        AbleToScale: 'True SucceededRescale',
        ScalingActive: 'True ValidMetricFound',
        ScalingLimited: 'False DesiredWithinRange',
      },
      ['New size: 2; reason: All metrics below target'],
    ],
    [
      'stays within a tenth of the target',
      observed({}, { queue: 32 }),
      undefined,
      {
        AbleToScale: 'True ReadyForNewScale',
        ScalingActive: 'True ValidMetricFound',
        ScalingLimited: 'False DesiredWithinRange',
      },
      [],
    ],
    [
      'stays within the tolerance of the behavior',
      observed({ autoscaler: autoscaler({ behavior: { scaleUp: { tolerance: '0.5' } } }) }, { queue: 44 }),
      undefined,
      {
        AbleToScale: 'True ReadyForNewScale',
        ScalingActive: 'True ValidMetricFound',
        ScalingLimited: 'False DesiredWithinRange',
      },
      [],
    ],
  ])('%s', (_, given, to, reasons, notes) => {
    const decision = decide(given);
    expect(decision.rescale?.to).toBe(to);
    expect(reasonsOf(decision.status)).toEqual(reasons);
    expect(decision.events.map(({ note }) => note)).toEqual(notes);
  });

  it('is repeated while a higher recommendation delays a lower one', () => {
    const memory = { ...noMemory, recommendations: new Map([[3, now.getTime() - 60_000]]) };
    const held = decide(observed({ memory }, { queue: 15 }));
    expect([held.rescale, held.recheckMs]).toEqual([undefined, syncPeriodMs]);
    const later = new Date(now.getTime() + 241_000);
    expect(decide(observed({ memory: held.memory, now: later }, { queue: 15 })).rescale?.to).toBe(2);
  });

  it('does not change a status that is up to date', () => {
    const { status } = decide(observed({}, { queue: 32 }));
    const again = decide(observed({ autoscaler: autoscaler({}, status) }, { queue: 32 }));
    expect(again.isChanged).toBe(false);
  });

  it('reports a target that refuses to be scaled, and retries', () => {
    const failed = rescaleFailed(observed(), { to: 5, reason: 'why' }, 'denied');
    expect(reasonsOf(failed.status)).toEqual({ AbleToScale: 'False FailedUpdateScale' });
    expect(failed).toMatchObject({
      recheckMs: syncPeriodMs,
      events: [{ type: 'Warning', reason: 'FailedRescale', note: 'New size: 5; reason: why; error: denied' }],
    });
  });
});
