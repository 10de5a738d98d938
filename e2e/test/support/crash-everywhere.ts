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
 * Runs a scenario once. Then runs it again for each of its calls, and kills the app before the call and, for writes,
 * after it. The fixtures share the runs.
 *
 * @param most how often the same call is used as a crash point. `npm test` uses only a sample: see {@link sampleOf}.
 * @returns the runs that had another result or in which the app was not killed at the call, and whether most points did
 * not occur.
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
  return crashed.length > absent.length ? failures : [...failures, 'most points did not occur'];
}

/*
 * The number of reads and status writes can differ between runs, and so can a change of a text before a merge. A few
 * points may therefore not occur.
 */
function summary(name: string, calls: readonly string[], { crashed, absent }: CrashReport): string {
  const count = `${name}: ${calls.length} calls, killed at ${crashed.length} points`;
  const rest = absent.map(describePoint).join(', ');
  return rest === '' ? count : `${count}; these did not occur in their runs: ${rest}`;
}
