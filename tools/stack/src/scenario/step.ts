import type { ScenarioNeeds } from '../cluster/plan.js';
import type { LocalRepository } from '../git.js';
import type { Remote, Stack, StackOptions } from '../stack.js';
import type { Print } from './narrator.js';

/** A scenario that the apps run through. */
export interface Scenario {
  title: string;
  stack: Pick<
    StackOptions,
    'from' | 'dryBranch' | 'environments' | 'prepare' | 'proposedKeys' | 'revertPolicy'
  >;
  /** The hydrator's copy of the repository. */
  source: LocalRepository;
  /** The steps, one after the other. After each step, the apps finish their work. */
  steps: Step[];
  /** The objects that the scenario creates in the cluster in addition to the objects of the apps. */
  needs?: ScenarioNeeds;
  /**
   * The line that is printed at the end if there were no problems. Default: that every environment runs the newest dry
   * commit.
   */
  ending?: string;
}

export interface Step {
  title: string;
  push: (remote: Remote, stack: Stack) => Promise<void>;
  /** The environment branch for which the change is held at the end of the step. */
  held?: string;
  /** Checks the result of the step and prints it. Returns the problems, one sentence each. */
  check?: (stack: Stack, print: Print, signal: AbortSignal) => Promise<string[]>;
}
