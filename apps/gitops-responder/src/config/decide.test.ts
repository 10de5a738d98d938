import type { GitOpsResponderConfig } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import { describe, expect, it } from '@jest/globals';
import { chooseConfig, type Choice } from './choose.js';
import { decideConfig, type ConfigDecision, type ProviderStatus } from './decide.js';
import { badRoutes, configOf, goodRoutes } from './testing/config.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const reachable: ProviderStatus = { kind: 'noop', repository: 'a/b', reachable: true };
const away: ProviderStatus = { kind: 'gitlab', repository: 'c/d', reachable: false, message: 'no answer' };

function configStatus(
  config: GitOpsResponderConfig,
  choice: Choice,
  providers: ProviderStatus[],
  time: number,
): ConfigDecision['status'] {
  return decideConfig({ config, choice, providers }, time).status;
}

function statusOf(config: GitOpsResponderConfig, providers: ProviderStatus[] = [], time = now) {
  return configStatus(config, chooseConfig([config], undefined), providers, time);
}

describe('decideConfig', () => {
  it('checks only the repositories of the chosen configuration again', () => {
    const [config, other] = [configOf(goodRoutes), configOf(goodRoutes, { name: 'other' })];
    const choice = chooseConfig([other, config], undefined);
    const again = (one: GitOpsResponderConfig) =>
      decideConfig({ config: one, choice, providers: [] }, now).requeueAfterMs;
    expect(again(config)).toBe(300_000);
    expect(again(other)).toBeUndefined();
  });

  it('reports the configuration in use, and since when', () => {
    const config = configOf(goodRoutes);
    const status = statusOf(config, [reachable]);
    expect(status).toMatchObject({
      observedGeneration: 1,
      inUse: { generation: 1, since: '2026-01-01T00:00:00Z', routes: 1 },
      providers: [reachable],
    });
    expect(status.inUse?.spec).toBeUndefined();
    expect(getCondition(status.conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'InUse' });
    expect(statusOf({ ...config, status }, [reachable], now + 60_000)).toEqual(status);
  });

  it('keeps the last valid spec in use while the spec of the object is invalid', () => {
    const good = configOf(goodRoutes);
    const bad = { ...configOf(badRoutes, { generation: 2 }), status: statusOf(good) };
    const status = configStatus(bad, chooseConfig([bad], chooseConfig([good], undefined).inUse), [], now);
    expect(status).toMatchObject({ observedGeneration: 2, inUse: { generation: 1, spec: good.spec } });
    expect(getCondition(status.conditions, 'Stalled')).toMatchObject({
      reason: 'Invalid',
      message: expect.stringMatching(/spec\.routes\[0\]\.match\.expr.*; generation 1 stays in use$/),
    });
    const first = configOf(badRoutes);
    expect(getCondition(statusOf(first).conditions, 'Stalled')?.message).toContain('nothing is routed');
    expect(statusOf(first).inUse).toBeUndefined();
  });

  it('reports which repositories are unreachable', () => {
    const { conditions } = statusOf(configOf(goodRoutes), [reachable, away]);
    expect(getCondition(conditions, 'ProvidersReachable')).toMatchObject({
      status: 'False',
      message: 'c/d: no answer',
    });
  });

  it('reports since when a configuration is not used', () => {
    const other = configOf(goodRoutes, { name: 'other' });
    const choice = chooseConfig([other, configOf(goodRoutes)], undefined);
    const status = configStatus(other, choice, [], now);
    expect(status.inUse).toBeUndefined();
    expect(getCondition(status.conditions, 'Stalled')?.reason).toBe('NotUsed');
    expect(configStatus({ ...other, status }, choice, [], now + 60_000)).toEqual(status);
  });

  it('conforms to the schema, however many providers there are', () => {
    const message = 'x'.repeat(1024);
    const many = Array.from({ length: 101 }, () => ({ ...away, message }));
    const { providers, conditions } = statusOf(configOf(goodRoutes), many);
    expect(providers).toHaveLength(100);
    expect(getCondition(conditions, 'ProvidersReachable')?.message.length).toBeLessThanOrEqual(1024);
  });
});
