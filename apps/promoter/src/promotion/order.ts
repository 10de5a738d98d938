import type { ObservedEnvironment } from './model.js';

/** The environments of a strategy by branch, with the order that follows from `dependsOn`. */
export class Environments {
  readonly #byBranch: ReadonlyMap<string, ObservedEnvironment>;
  /** Which environments run a dry commit, by dry commit: many paths can lead to one environment. */
  readonly #runs = new Map<string, Map<ObservedEnvironment, boolean>>();

  constructor(readonly all: readonly ObservedEnvironment[]) {
    this.#byBranch = new Map(all.map((environment) => [environment.branch, environment]));
  }

  dependenciesOf(environment: ObservedEnvironment): ObservedEnvironment[] {
    return environment.dependsOn.flatMap((branch) => this.#byBranch.get(branch) ?? []);
  }

  /** Returns every environment that depends on this one, directly or through others. */
  dependentsOf(environment: ObservedEnvironment): ObservedEnvironment[] {
    const found = new Set<ObservedEnvironment>();
    const visit = (branch: string): void => {
      for (const other of this.all) {
        if (!other.dependsOn.includes(branch) || found.has(other)) continue;
        found.add(other);
        visit(other.branch);
      }
    };
    visit(environment.branch);
    found.delete(environment);
    return [...found];
  }

  /** Returns every environment that this one depends on, directly or through others. */
  ancestorsOf(environment: ObservedEnvironment): ObservedEnvironment[] {
    const found = new Set<ObservedEnvironment>();
    const visit = (from: ObservedEnvironment): void => {
      for (const dependency of this.dependenciesOf(from)) {
        if (found.has(dependency)) continue;
        found.add(dependency);
        visit(dependency);
      }
    };
    visit(environment);
    return [...found];
  }

  /**
   * Returns the dry commit that an environment runs. A newer one whose hydration changed nothing here counts as soon
   * as the dependencies run it.
   */
  activeDrySHA(environment: ObservedEnvironment): string | undefined {
    const candidates = environment.unchangedBy.filter((drySHA) => this.runs(environment, drySHA));
    return candidates.at(-1) ?? environment.active?.drySHA;
  }

  /**
   * Returns whether an environment runs the output of a dry commit. In a cycle of `dependsOn`, which is refused only after the
   * environments were read, no environment runs a dry commit that changed nothing.
   */
  runs(environment: ObservedEnvironment, drySHA: string): boolean {
    if (environment.active === undefined) return false;
    if (environment.active.drySHA === drySHA) return true;
    if (!environment.unchangedBy.includes(drySHA)) return false;
    const known = this.#runs.get(drySHA) ?? new Map<ObservedEnvironment, boolean>();
    this.#runs.set(drySHA, known);
    const before = known.get(environment);
    if (before !== undefined) return before;
    /* Ends the recursion in a cycle. */
    known.set(environment, false);
    const found = this.dependenciesOf(environment).every((dependency) => this.runs(dependency, drySHA));
    known.set(environment, found);
    return found;
  }

  /**
   * Returns the dependencies that decide about `drySHA`: if it changes nothing in one of them, the dependencies of that
   * environment count as well.
   */
  gatesFor(environment: ObservedEnvironment, drySHA: string): ObservedEnvironment[] {
    const gates = new Set<ObservedEnvironment>();
    const visit = (dependency: ObservedEnvironment): void => {
      if (gates.has(dependency)) return;
      gates.add(dependency);
      const unchanged = dependency.active?.drySHA !== drySHA && dependency.unchangedBy.includes(drySHA);
      if (unchanged) this.dependenciesOf(dependency).forEach(visit);
    };
    this.dependenciesOf(environment).forEach(visit);
    return [...gates];
  }
}

/** Returns the branches of one cycle of `dependsOn`, or undefined when there is none. */
export function findCycle(
  environments: readonly { branch: string; dependsOn: readonly string[] }[],
): string[] | undefined {
  const dependencies = new Map(environments.map((e) => [e.branch, e.dependsOn]));
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (branch: string): string[] | undefined => {
    if (done.has(branch)) return undefined;
    const seen = path.indexOf(branch);
    if (seen >= 0) return [...path.slice(seen), branch];
    path.push(branch);
    for (const dependency of dependencies.get(branch) ?? []) {
      const cycle = visit(dependency);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(branch);
    return undefined;
  };
  for (const { branch } of environments) {
    const cycle = visit(branch);
    if (cycle) return cycle;
  }
  return undefined;
}
