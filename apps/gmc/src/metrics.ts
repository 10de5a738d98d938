import { conditions, type ActionsGateway } from '@interlock/api';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { GatewayOutcome } from './gateway/outcome.js';

const prefix = 'actions_gateway_gmc_';

interface GmcMetricsSources {
  gateways: () => readonly ActionsGateway[];
  /**
   * When the networks of GitHub were last read, in milliseconds since the epoch; undefined if they have not been read.
   */
  rangesFetchedAt: () => number | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Counts the changes that were made for tenants. */
export interface GmcMetrics {
  count(outcome: GatewayOutcome): void;
}

/** Registers the metrics of the gmc. Gauges are read at each scrape. Call it once per registry. */
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
    help: 'Time since the networks of GitHub were last read; absent until they are first read.',
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
    help: 'RunnerGroups that were deleted before their runners were removed at GitHub.',
    registers,
  });
  return {
    count(outcome) {
      writes.inc(outcome.writes);
      abandoned.inc(outcome.abandoned.length);
    },
  };
}
