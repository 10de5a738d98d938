import { eventually } from '@interlock/kube/testing';
import type { AppName, AppProcess, Fleet } from '@interlock/stack';
import { describePoint, type CallObserver, type CrashPoint, type Tenant } from './crash-points.js';
import { isIdle } from './idle.js';
import { tenantName } from './test-cluster.js';
import type { Fixture } from './fixture.js';

const timeoutMs = 60_000;
const maxFailures = 3;
/** Whether a call occurs can depend on the timing, so a point is tried in several runs. */
const maxRuns = 3;

/** The work of an app for one team, from an empty state to a result that can be checked. */
export interface Scenario<T extends Tenant> {
  app: AppName;
  createTeam(fixture: Fixture, name: string): Promise<T>;
  /** The steps, one after the other. Each waits until the app has completed its part. */
  steps: readonly Step<T>[];
  /** Returns the problems at the end, one sentence each. */
  check(fixture: Fixture, team: T): Promise<string[]>;
}

export interface Step<T extends Tenant> {
  act(fixture: Fixture, team: T): Promise<void>;
  /** Returns what is missing, or undefined if the app has completed its part. */
  missing(fixture: Fixture, team: T): Promise<string | undefined>;
}

export interface CrashReport {
  /** Points at which the app was killed. */
  crashed: CrashPoint[];
  /** Points that did not occur in any of their runs. */
  absent: CrashPoint[];
  /** The problems with their points. */
  failures: string[];
}

/** A fixture that runs scenarios one after the other, each for a separate team. */
export class CrashLane<T extends Tenant> {
  #runs = 0;
  #crash: string | undefined;

  readonly #scenario: Scenario<T>;
  readonly #observer: CallObserver<T>;
  readonly #name: string;

  constructor(
    readonly fixture: Fixture,
    scenario: Scenario<T>,
    observer: CallObserver<T>,
    name: string,
  ) {
    this.#scenario = scenario;
    this.#observer = observer;
    this.#name = name;

    this.#process.onCrash = (reason) => (this.#crash = reason);
  }

  get #process(): AppProcess {
    return this.fixture.fleet.processes[this.#scenario.app];
  }

  /** Runs the scenario without a crash. @returns its calls in order */
  async discover(): Promise<string[]> {
    const team = await this.#createTeam();
    const stop = this.#observer.record(team);
    await this.#play(team);
    const calls = stop();
    await this.#checkAndLeave(team);
    return calls;
  }

  /**
   * Runs the scenario, kills the app at a point and restarts it. @returns whether the point occurred. @throws if it
   * occurred and the app was not killed
   */
  async crashAt(point: CrashPoint): Promise<boolean> {
    const team = await this.#createTeam();
    let crashed = false;
    const stop = this.#observer.record(team);
    let calls: string[];
    const disarm = this.#observer.arm(team, point, async () => {
      await this.#process.kill();
      crashed = true;
    });
    try {
      await this.#play(team);
    } finally {
      /* The check of the result makes calls itself. */
      calls = stop();
      disarm();
    }
    const isMade = calls.filter((call) => call === point.call).length >= point.occurrence;
    if (isMade && !crashed) throw new Error('the call was made, and the app was not killed');
    await this.#checkAndLeave(team);
    return crashed;
  }

  #createTeam(): Promise<T> {
    return this.#scenario.createTeam(this.fixture, tenantName(`${this.#name}-${++this.#runs}`));
  }

  async #play(team: T): Promise<void> {
    for (const step of this.#scenario.steps) {
      await step.act(this.fixture, team);
      await this.#wait(() => step.missing(this.fixture, team));
    }
    await this.#wait(() => idleProblem(this.fixture.fleet, this.#scenario.app));
  }

  /* Starts the process if it does not run, as the kubelet would. */
  #wait(missing: () => Promise<string | undefined>): Promise<void> {
    return eventually(async () => {
      if (this.#crash !== undefined) throw new Error(this.#crash);
      if (!this.#process.running) this.#process.start();
      const what = await missing();
      if (what !== undefined) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    }, timeoutMs);
  }

  async #checkAndLeave(team: T): Promise<void> {
    const problems = await this.#scenario.check(this.fixture, team);
    if (problems.length > 0) throw new Error(problems.join('; '));
    await team.leave();
  }
}

/** Distributes the points to the lanes. Stops after a few failures. */
export async function crashThrough(
  lanes: readonly Pick<CrashLane<Tenant>, 'crashAt'>[],
  points: readonly CrashPoint[],
): Promise<CrashReport> {
  const report: CrashReport = { crashed: [], absent: [], failures: [] };
  const left = points.map((point) => ({ point, runs: 0 }));
  await Promise.all(
    lanes.map(async (lane) => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { point } = next;
        if (report.failures.length >= maxFailures) return;
        try {
          if (await lane.crashAt(point)) report.crashed.push(point);
          else if (++next.runs < maxRuns) left.push(next);
          else report.absent.push(point);
        } catch (error) {
          report.failures.push(`${describePoint(point)}: ${String(error)}`);
        }
      }
    }),
  );
  return report;
}

async function idleProblem(fleet: Fleet, app: AppName): Promise<string | undefined> {
  const idle = await isIdle(fleet, app).catch(() => false);
  return idle ? undefined : `${app} is not idle`;
}
