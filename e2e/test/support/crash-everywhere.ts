import {
  crashPointsOf,
  describePoint,
  kindOf,
  momentsOf,
  type CallObserver,
  type Occurrences,
  type Tenant,
} from './crash-points.js';
import { CrashLane, crashThrough, type CrashReport, type Scenario } from './crash-run.js';
import type { World } from './world.js';

/**
 * Runs a scenario in each of two worlds, and then once more for each call that it makes and, of writes, each side of the
 * call, with the app being killed there.
 * @param most how often a call that comes up again and again is looked at
 * @returns where a run does not come to the same end, and the kinds of calls that were not reached although both runs
 *   made them.
 */
export async function crashEverywhere<T extends Tenant>(
  worlds: readonly World[],
  name: string,
  scenario: Scenario<T>,
  observe: (world: World) => CallObserver<T>,
  most?: Occurrences,
): Promise<string[]> {
  const lanes = worlds.map(
    (world, index) => new CrashLane(world, scenario, observe(world), `${name}-${index + 1}`),
  );
  const runs = await Promise.all(lanes.slice(0, 2).map((lane) => lane.discover()));
  const [calls = []] = runs;
  const report = await crashThrough(lanes, crashPointsOf(calls, most));
  console.info(summary(name, calls, report));
  const always = calls.filter((call) =>
    runs.every((run) => run.some((other) => kindOf(other) === kindOf(call))),
  );
  return [...report.failures, ...uncovered(always, report)];
}

function summary(name: string, calls: readonly string[], { crashed, absent }: CrashReport): string {
  const count = `${name}: ${calls.length} calls, killed at ${crashed.length} points`;
  const rest = absent.map(describePoint).join(', ');
  return rest === '' ? count : `${count}; these did not come up in their runs: ${rest}`;
}

/* How often a thing is read, or a status written, may differ from run to run, and whether a text is changed before its pull request is merged. */
function uncovered(calls: readonly string[], { crashed }: CrashReport): string[] {
  const kinds = new Set(
    calls.flatMap((call) => momentsOf(call).map((moment) => `${moment} ${kindOf(call)}`)),
  );
  for (const { moment, call } of crashed) kinds.delete(`${moment} ${kindOf(call)}`);
  return calls.length === 0 ? ['the scenario makes no calls'] : [...kinds];
}
