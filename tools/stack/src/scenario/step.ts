import type { ScenarioNeeds } from '../cluster/plan.js';
import type { LocalRepository } from '../git.js';
import type { Remote, Stack, StackOptions } from '../stack.js';
import type { Say } from './narrator.js';

/** A thing to watch the fleet do. */
export interface Scenario {
  title: string;
  stack: Pick<
    StackOptions,
    'from' | 'dryBranch' | 'environments' | 'prepare' | 'proposedKeys' | 'revertPolicy'
  >;
  /** The copy of the repository that the hydrator works in. */
  source: LocalRepository;
  /** What is pushed one after the other, with the fleet settling after each. */
  steps: Step[];
  /** What it creates in the cluster beside what the apps need. */
  needs?: ScenarioNeeds;
  /** What is true when nothing is wrong in the end. Default: that every environment runs the newest dry commit. */
  ending?: string;
}

export interface Step {
  title: string;
  push: (remote: Remote, stack: Stack) => Promise<void>;
  /** The environment branch before which the change is going to be held: the fleet settles with it waiting there. */
  held?: string;
  /** Checks the fleet after it has settled, waits for what takes longer, and prints what it finds. Returns what is wrong, one sentence for each problem. */
  check?: (stack: Stack, say: Say, signal: AbortSignal) => Promise<string[]>;
}
