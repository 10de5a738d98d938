import {
  timestampOf,
  type Gate,
  type GateKeeper,
  type GateOverride,
  type ScheduleWindow,
} from '@interlock/api';
import type { KeeperInput } from '@interlock/gating';

const apiVersion = 'gating.toolkit.fluxcd.io/v1alpha1';
const namespace = 'bench';
const creationTimestamp = '2026-01-01T00:00:00Z';
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Lord_Howe'];

/** Typical windows; each gate has one keeper for each of them. */
const windows: readonly (readonly ScheduleWindow[])[] = [
  [{ cron: '* * 20-30 11 *' }, { cron: '* * 15-31 12 *' }],
  [{ start: '0 22 * * 5', duration: '58h' }],
  [{ cron: '* 12-13 * * 1-5' }],
  [{ from: '2026-07-01T00:00', to: '2026-07-08T00:00' }],
  [{ start: '30 3 1 * *', duration: '4h' }],
];

/** Returns a gate and its five keepers, which equal the keepers of other gates but are separate objects. */
export function gateWithKeepers(index: number): { gate: Gate; keepers: KeeperInput[] } {
  const name = `gate-${index}`;
  const gate: Gate = {
    apiVersion,
    kind: 'Gate',
    metadata: { name, namespace, creationTimestamp },
    spec: { closed: true, maxOverride: '1h', failurePolicy: 'Closed' },
  };
  const keepers = windows.map((closed, part): KeeperInput => ({
    keeper: keeper(name, index, part, [...closed]),
  }));
  return { gate, keepers };
}

function keeper(gate: string, index: number, part: number, closed: ScheduleWindow[]): GateKeeper {
  const name = `${gate}-${part}`;
  const timeZone = zones[(index + part) % zones.length] ?? 'UTC';
  return {
    apiVersion,
    kind: 'GateKeeper',
    metadata: { name, namespace, uid: name, generation: 1, creationTimestamp },
    spec: { gate, type: 'schedule', schedule: { timeZone, dayMatch: 'any', closed } },
  };
}

/**
 * Returns a gate that has been closed for hours, overrides that ended earlier, one per minute, and an active override.
 */
export function endedOverrides(count: number, now: number): { gate: Gate; overrides: GateOverride[] } {
  const { gate } = gateWithKeepers(0);
  const at = (minutes: number) => timestampOf(now - minutes * 60_000);
  const override = (name: string, minutes: number): GateOverride => ({
    apiVersion,
    kind: 'GateOverride',
    metadata: { name, namespace, creationTimestamp: at(minutes) },
    spec: {
      gateRef: { name: gate.metadata.name },
      effect: 'Open',
      reason: 'bench',
      duration: '1m',
      once: false,
    },
  });
  const ended = Array.from({ length: count }, (_, index): GateOverride => ({
    ...override(`ended-${index}`, index + 121),
    status: { phase: 'Expired', endedAt: at(index + 120) },
  }));
  const status = { state: 'Closed' as const, since: at(60), validUntil: timestampOf(now + 30 * 60_000) };
  return { gate: { ...gate, status }, overrides: [...ended, override('live', 0)] };
}
