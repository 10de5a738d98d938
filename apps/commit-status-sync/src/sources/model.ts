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
  /**
   * The hydrated commit that is active there, as the strategy's status reports it; absent while the status does not
   * report it.
   */
  sha?: string | undefined;
  /** The commit at the tip of the branch, if it has the same content: the commits after `sha` do not change the environment. */
  tip?: string | undefined;
}

/** The state of a source besides the objects that it selects. */
export interface ObservedSource<S extends Source> {
  source: S;
  strategy: PromotionStrategy | undefined;
  /** CommitStatuses of its namespace that it controls, or that have the name of one that it is to write. */
  children: readonly CommitStatus[];
}

/** The verdict on an object for the commit that is active in its environment. */
export interface Verdict {
  phase: SourcePhase;
  message: string;
  /** Since when the object has had that state, as it reports itself; milliseconds since the epoch. */
  changedAt?: number | undefined;
  /** Whether the object repeats what succeeded for the commit: an earlier success counts until the result is known. */
  isRepeating?: boolean | undefined;
  /** Whether the object attempts the commit, perhaps not for the first time: an earlier failure counts until the result is known. */
  isRetrying?: boolean | undefined;
}

/** The verdict on every object while the strategy does not report what is active. */
export const nothingActive: Verdict = {
  phase: 'in_progress',
  message: 'waits for the PromotionStrategy to report the active commits',
};

/** A selected object; without a branch it does not run an environment of the strategy. */
export interface JudgedObject {
  kind: string;
  namespace: string;
  name: string;
  branch?: string;
  verdict: Verdict;
}

/** A CommitStatus to delete, identified by its uid. */
export interface Obsolete {
  key: ObjectKey;
  uid: string;
}

/** The writes of a source. */
export interface SourceDecision<Status> {
  commitStatuses: ApplyConfiguration[];
  /** CommitStatuses of environments that the strategy no longer has. */
  obsolete: Obsolete[];
  status: Status;
  /** Milliseconds until the decision changes by time alone. */
  requeueAfterMs?: number;
}

/**
 * Returns the environments of a strategy with what is active there. The active commits are never read from git: the promoter
 * reports them.
 */
export function activeEnvironments({ spec, status }: PromotionStrategy): ActiveEnvironment[] {
  return spec.environments.map(({ branch }) => {
    const known = status?.environments?.find((environment) => environment.branch === branch);
    const { hydratedSHA: sha, tipSHA: tip } = known?.active ?? {};
    return { branch, sha, tip };
  });
}

/** Returns the worst phase; `success` if there are no phases. */
export function worstPhase(phases: readonly SourcePhase[]): SourcePhase {
  if (phases.includes('failure')) return 'failure';
  return phases.includes('in_progress') ? 'in_progress' : 'success';
}
