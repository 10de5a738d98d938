import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusPromotionMetrics } from './prometheus.js';
import { ruleNames } from './rules.js';

/** Keeps strategies of many environments, with different keys. */
function metricsOf(namespaces: number, strategiesEach: number, environmentsEach: number) {
  const registry = new Registry();
  const metrics = prometheusPromotionMetrics(registry);
  for (let n = 0; n < namespaces; n++) {
    for (let s = 0; s < strategiesEach; s++) {
      const key = { namespace: `team-${n}`, name: `strategy-${s}` };
      const branches = Array.from({ length: environmentsEach }, (_, e) => `environments/${s}-${e}`);
      metrics.keep(key, new Map(branches.map((branch) => [branch, [...ruleNames, `key-of-${branch}`]])));
      for (const branch of branches) {
        metrics.record(key, {
          branch,
          deployments: [{ sha: 'a', rollback: false, activeAt: 2, committedAt: 1 }],
          failed: 1,
          restoredAfterMs: [1000],
          blocked: [{ check: `key-of-${branch}`, seconds: 1 }],
        });
      }
    }
  }
  return { registry, metrics };
}

const seriesOf = (text: string): number => text.split('\n').filter((line) => /^[a-z]/.test(line)).length;

describe('the metrics of promotions', () => {
  it('do not grow with the environments of a namespace', async () => {
    const few = await metricsOf(1, 1, 1).registry.metrics();
    const many = await metricsOf(1, 100, 40).registry.metrics();
    expect(seriesOf(many)).toBe(seriesOf(few));
  });

  it('take less than 5 kB for each namespace', async () => {
    const text = await metricsOf(100, 5, 4).registry.metrics();
    expect(text.length / 100).toBeLessThan(5_000);
  });

  it('are removed with the last strategy of a namespace', async () => {
    const { registry, metrics } = metricsOf(2, 2, 1);
    metrics.forget({ namespace: 'team-0', name: 'strategy-0' });
    expect(await registry.metrics()).toContain('namespace="team-0"');
    metrics.forget({ namespace: 'team-0', name: 'strategy-1' });
    expect(await registry.metrics()).not.toContain('namespace="team-0"');
    expect(await registry.metrics()).toContain('namespace="team-1"');
  });
});
