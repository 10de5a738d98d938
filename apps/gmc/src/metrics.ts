import { conditions, type ActionsGateway } from '@interlock/api';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { GatewayOutcome } from './gateway/outcome.js';

const prefix = 'actions_gateway_gmc_';

interface GmcMetricsSources {
  gateways: () => readonly ActionsGateway[];
  /** When the networks of GitHub were read, in milliseconds since the epoch; undefined: they were not. */
  rangesFetchedAt: () => number | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Counts what was done for tenants. */
export interface GmcMetrics {
  note(outcome: GatewayOutcome): void;
}

/** The metrics of the gmc. What is true at the moment is read when somebody asks; may be called once per registry. */
export function prometheusGmcMetrics(registry: Registry, sources: GmcMetricsSources): GmcMetrics {
  const registers = [registry];
  void new Gauge({
    name: `${prefix}tenants`,
    help: 'ActionsGateways, by the status and the reason of their condition Ready.',
    labelNames: ['ready', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { status } of sources.gateways()) {
        const ready = status?.conditions?.find(({ type }) => type === conditions.ready);
        this.inc({ ready: ready?.status ?? 'Unknown', reason: ready?.reason ?? 'Pending' });
      }
    },
  });
  void new Gauge({
    name: `${prefix}github_ranges_age_seconds`,
    help: 'Time since the networks of GitHub were read; absent before the first time.',
    registers,
    collect() {
      const fetchedAt = sources.rangesFetchedAt();
      this.reset();
      if (fetchedAt === undefined) this.remove();
      else this.set((sources.now() - fetchedAt) / 1000);
    },
  });
  const writes = new Counter({
    name: `${prefix}writes_total`,
    help: 'Calls that changed an object of a tenant.',
    registers,
  });
  const abandoned = new Counter({
    name: `${prefix}abandoned_runner_groups_total`,
    help: 'RunnerGroups that went before their runners were removed at GitHub.',
    registers,
  });
  return {
    note(outcome) {
      writes.inc(outcome.writes);
      abandoned.inc(outcome.abandoned.length);
    },
  };
}
