import { decideGate, defaultStateTtlMs, keeperCache, relevantOverrides } from '@interlock/gating';
import type { BenchmarkContext, Measurement } from '../benchmark.js';
import { median } from '../statistics.js';
import { endedOverrides, gateWithKeepers } from './objects.js';

const gateCount = 1000;
const runs = 9;
const warmUps = 20;
const minuteMs = 60_000;
const endedCount = 20_000;

/**
 * Evaluates all gates repeatedly, as a running controller does. The windows of the keepers are compiled, and the time
 * advances by an hour between the evaluations. The first evaluation includes the compilation.
 */
export function measureDecisions({ say }: BenchmarkContext): Measurement[] {
  const all = Array.from({ length: gateCount }, (_, index) => gateWithKeepers(index));
  const begin = Date.UTC(2026, 10, 14, 12);
  const decideAll = (now: number, compile: ReturnType<typeof keeperCache>): number => {
    const startedAt = performance.now();
    for (const { gate, keepers } of all) decideGate(now, gate, keepers, [], undefined, { compile });
    return performance.now() - startedAt;
  };
  say(`gates: ${gateCount} gates of 5 keepers`);
  const firsts = Array.from({ length: runs }, () => decideAll(begin, keeperCache()));
  const compile = keeperCache();
  const hourly = (hours: number) => decideAll(begin + hours * 60 * minuteMs, compile);
  for (let hours = 0; hours < warmUps; hours++) hourly(hours);
  const laters = Array.from({ length: runs }, (_, run) => hourly(warmUps + run));
  const metric = `decide ${gateCount} gates of 5 keepers`;
  return [
    { metric: `${metric}, compiled before`, value: median(laters), unit: 'ms' },
    { metric: `${metric}, for the first time`, value: median(firsts), unit: 'ms' },
    measureEnded(begin),
  ];
}

/** Evaluates a gate with overrides that ended long ago. */
function measureEnded(now: number): Measurement {
  const { gate, overrides } = endedOverrides(endedCount, now);
  const values = Array.from({ length: runs }, () => {
    const startedAt = performance.now();
    decideGate(now, gate, [], relevantOverrides(gate, overrides, { stateTtlMs: defaultStateTtlMs }));
    return performance.now() - startedAt;
  });
  return { metric: `decide a gate with ${endedCount} ended overrides`, value: median(values), unit: 'ms' };
}
