import { expect, it } from '@jest/globals';
import type { ActionsGateway } from '@interlock/api';
import { Registry } from 'prom-client';
import { prometheusGmcMetrics } from './metrics.js';
import { gatewayOf } from './testing/builders.js';

function gatewayWith(status: 'True' | 'False', reason: string): ActionsGateway {
  const condition = {
    type: 'Ready',
    status,
    reason,
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return { ...gatewayOf(), status: { conditions: [condition] } };
}

it('reports the states of tenants, the age of the networks, and the number of writes', async () => {
  const registry = new Registry();
  const now = {
    gateways: [gatewayOf(), gatewayWith('True', 'Ready'), gatewayWith('True', 'Ready')],
    fetchedAt: undefined as number | undefined,
  };
  const metrics = prometheusGmcMetrics(registry, {
    gateways: () => now.gateways,
    rangesFetchedAt: () => now.fetchedAt,
    now: () => 90_000,
  });
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
  expect(await lines()).toEqual([
    'actions_gateway_gmc_tenants{ready="Unknown",reason="Pending"} 1',
    'actions_gateway_gmc_tenants{ready="True",reason="Ready"} 2',
    'actions_gateway_gmc_writes_total 0',
    'actions_gateway_gmc_abandoned_runner_groups_total 0',
  ]);
  now.gateways = [gatewayWith('False', 'SecretNotFound')];
  now.fetchedAt = 30_000;
  metrics.count({ writes: 3, abandoned: ['linux'] });
  expect(await lines()).toEqual([
    'actions_gateway_gmc_tenants{ready="False",reason="SecretNotFound"} 1',
    'actions_gateway_gmc_github_ranges_age_seconds 60',
    'actions_gateway_gmc_writes_total 3',
    'actions_gateway_gmc_abandoned_runner_groups_total 1',
  ]);
});
