import type {
  ArgoCDCommitStatus,
  CommitStatus,
  FluxCommitStatus,
  ObjectKey,
  PromotionStrategy,
  SourcePhase,
  TimedCommitStatus,
} from '@interlock/api';
import type { ApplyConfiguration } from '@interlock/kube';

/** A kind that only writes CommitStatuses. */
export type Source = ArgoCDCommitStatus | FluxCommitStatus | TimedCommitStatus;

/** An environment of the strategy. */
export interface ActiveEnvironment {
  branch: string;
  /** The hydrated commit that is active there, as the strategy's status says; absent: it does not say yet. */
  sha?: string;
  /** The commit at the tip of the branch, where it has the same content: what came after `sha` belongs to others. */
  tip?: string;
}

/** What is known of a source beside what it looks at. */
export interface ObservedSource<S extends Source> {
  source: S;
  strategy: PromotionStrategy | undefined;
  /** CommitStatuses of its namespace that it controls, or that have the name of one that it is to write. */
  children: readonly CommitStatus[];
}

/** What an object says of the commit that is active in its environment. */
export interface Verdict {
  phase: SourcePhase;
  message: string;
  /** When it began to say so, by its own account; milliseconds since the epoch. */
  changedAt?: number;
}

/** What every object says while the strategy does not say what is active. */
export const nothingActive: Verdict = {
  phase: 'in_progress',
  message: 'waits for the PromotionStrategy to report what is active',
};

/** A selected object; without a branch it runs no environment of the strategy. */
export interface JudgedObject {
  kind: string;
  namespace: string;
  name: string;
  branch?: string;
  verdict: Verdict;
}

/** A CommitStatus that is to go, and no other of its name. */
export interface Obsolete {
  key: ObjectKey;
  uid: string;
}

/** What a source is to write. */
export interface SourceDecision<Status> {
  commitStatuses: ApplyConfiguration[];
  /** CommitStatuses of environments that the strategy no longer has. */
  obsolete: Obsolete[];
  status: Status;
  /** Milliseconds until something changes by time alone. */
  requeueAfterMs?: number;
}

/** Returns the environments of a strategy with what is active there. Never read from git: the promoter says it. */
export function activeEnvironments({ spec, status }: PromotionStrategy): ActiveEnvironment[] {
  return spec.environments.map(({ branch }) => {
    const known = status?.environments?.find((environment) => environment.branch === branch);
    const { hydratedSHA: sha, tipSHA: tip } = known?.active ?? {};
    return { branch, ...(sha !== undefined && { sha }), ...(tip !== undefined && { tip }) };
  });
}

/** Returns the worst phase; `success` of none. */
export function worstPhase(phases: readonly SourcePhase[]): SourcePhase {
  if (phases.includes('failure')) return 'failure';
  return phases.includes('in_progress') ? 'in_progress' : 'success';
}
