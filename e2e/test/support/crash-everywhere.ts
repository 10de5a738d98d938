import {
  crashPointsOf,
  describePoint,
  sampleOf,
  type CallObserver,
  type Occurrences,
  type Tenant,
} from './crash-points.js';
import { CrashLane, crashThrough, type CrashReport, type Scenario } from './crash-run.js';
import type { Fixture } from './fixture.js';

/**
 * Runs a scenario once, and then once more for each call that it makes and, of writes, each side of the call, with the app
 * being killed there. The fixtures share the runs.
 * @param most how often the same call is used as a crash point
 * In `npm test`, a part of the calls stands for all: see {@link sampleOf}.
 * @returns where a run does not come to the same end, or makes the call without the app being killed; and whether most points
 *   did not come up.
 */
export async function crashEverywhere<T extends Tenant>(
  fixtures: readonly Fixture[],
  name: string,
  scenario: Scenario<T>,
  observe: (fixture: Fixture) => CallObserver<T>,
  most?: Occurrences,
): Promise<string[]> {
  const lanes = fixtures.map(
    (fixture, index) => new CrashLane(fixture, scenario, observe(fixture), `${name}-${index + 1}`),
  );
  const calls = (await lanes[0]?.discover()) ?? [];
  const report = await crashThrough(lanes, sampleOf(crashPointsOf(calls, most), name));
  console.info(summary(name, calls, report));
  const { crashed, absent, failures } = report;
  return crashed.length > absent.length ? failures : [...failures, 'most points did not come up'];
}

/* How often a thing is read, or a status written, may differ from run to run, and whether a text is changed before its pull
   request is merged; so a few points may not come up. */
function summary(name: string, calls: readonly string[], { crashed, absent }: CrashReport): string {
  const count = `${name}: ${calls.length} calls, killed at ${crashed.length} points`;
  const rest = absent.map(describePoint).join(', ');
  return rest === '' ? count : `${count}; these did not come up in their runs: ${rest}`;
}
