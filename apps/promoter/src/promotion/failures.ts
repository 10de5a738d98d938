import { timestampOf, type EnvironmentStatus, type HistoryEntry } from '@interlock/api';
import { lastDeployment, type Deployment } from './deployments.js';
import type { StatusFinding } from './model.js';
import { aggregate } from './statuses.js';

export type LastFailure = NonNullable<EnvironmentStatus['lastFailure']>;

/** The results of the deployments of an environment. */
export interface FailureTransition {
  /** The last failure, which is kept in the status. */
  lastFailure?: LastFailure | undefined;
  /** Deployments that failed since the previous status, each counted once however often it fails. */
  failed: number;
  /** The duration of each failure that has ended since then, in milliseconds. */
  restoredAfterMs: number[];
}

/** What a transition depends on. */
interface DeploymentFacts {
  /** The deployments since the previous status, oldest first. */
  deployments: readonly Deployment[];
  history: readonly HistoryEntry[];
  activeStatuses: readonly StatusFinding[];
}

/**
 * Returns the results of deployments. A deployment fails when an active CommitStatus changes to `failure`, or when it is
 * rolled back. A failure lasts until all active CommitStatuses are successful, of this or of a later deployment, or until
 * it is rolled back.
 * @param before absent if nothing is known; an existing failure is then not a transition.
 */
export function followFailures(
  before: EnvironmentStatus | undefined,
  { deployments, history, activeStatuses }: DeploymentFacts,
  now: number,
): FailureTransition {
  const failures = new Failures(before?.lastFailure);
  for (const { rollback, replaced, activeAt } of deployments) {
    if (!rollback || replaced === undefined) continue;
    failures.rollBack(replaced, activeAt ?? now);
  }
  const active = lastDeployment(history)?.sha;
  if (active !== undefined && activeStatuses.some(({ phase }) => phase === 'failure')) {
    failures.fail(active, now);
  } else if (aggregate(activeStatuses) === 'healthy') {
    failures.restore(now);
  }
  const { last, restoredAfterMs } = failures;
  return {
    lastFailure: last,
    failed: before === undefined ? 0 : failures.failed,
    restoredAfterMs,
  };
}

class Failures {
  failed = 0;
  readonly restoredAfterMs: number[] = [];

  constructor(public last: LastFailure | undefined) {}

  /** Records a failure, which continues when a later deployment fails too. */
  fail(sha: string, now: number): void {
    const lasting = this.#lasting();
    if (this.last?.sha !== sha) this.failed++;
    else if (lasting) return;
    this.last = { sha, since: lasting?.since ?? timestampOf(now) };
  }

  restore(now: number): void {
    const lasting = this.#lasting();
    if (lasting === undefined) return;
    const restoredAt = timestampOf(now);
    this.restoredAfterMs.push(Math.max(0, Date.parse(restoredAt) - Date.parse(lasting.since)));
    this.last = { ...lasting, restoredAt };
  }

  /** Records a rollback. The start of a failure that no CommitStatus reported is unknown, so it is not measured. */
  rollBack(sha: string, now: number): void {
    const lasting = this.#lasting();
    if (this.last?.sha !== sha) this.failed++;
    this.restore(now);
    if (this.last?.sha === sha) return;
    const time = timestampOf(now);
    this.last = { sha, since: lasting?.since ?? time, restoredAt: time };
  }

  #lasting(): LastFailure | undefined {
    return this.last?.restoredAt === undefined ? this.last : undefined;
  }
}
