import { parseTimestamp, shortSHA } from '@interlock/api';
import type { Verdict } from '../sources/model.js';
import { HelmRelease, type FluxWorkload } from './objects.js';

/** Reasons of `Ready=False` with which Flux waits for another object, for its source, or for its next reconciliation. */
const waitingReasons = new Set([
  'DependencyNotReady',
  'ArtifactFailed',
  'SourceNotReady',
  'HealthCheckCanceled',
]);

/** The commits that a workload reports, including abbreviated ones. */
interface Revisions {
  applied: readonly string[];
  attempted: readonly string[];
}

/**
 * Returns the commits that a workload reports. A HelmRelease reports chart versions only. It refers to a commit through
 * the version of a chart that is made for each commit of the repository (`reconcileStrategy: Revision`), or through the
 * Kustomization that applied it.
 * @param own whether the workload comes from the strategy's repository itself.
 * @param applier the Kustomization that applied the workload.
 */
export function revisionsOf(
  workload: FluxWorkload,
  own: boolean,
  applier: FluxWorkload | undefined,
): Revisions {
  const { lastAppliedRevision, lastAppliedOriginRevision, lastAttemptedRevision } = workload.status;
  if (workload.kind !== HelmRelease.kind) {
    return {
      applied: commits(lastAppliedRevision, lastAppliedOriginRevision),
      attempted: commits(lastAttemptedRevision ?? lastAppliedRevision),
    };
  }
  const chart = /\+([0-9a-f]{7,64})(?:\.\d+)?$/.exec(lastAttemptedRevision ?? '')?.[1];
  if (own && chart !== undefined) return { applied: [chart], attempted: [chart] };
  const applied = applier === undefined ? [] : revisionsOf(applier, true, undefined).applied;
  return { applied, attempted: applied };
}

/**
 * Judges a Kustomization or HelmRelease for one commit. Its state for another commit does not count.
 *
 * - failure: not Ready after an attempt at the commit, and not because it waits.
 * - success: Ready at the commit.
 * - in progress: everything else; also while it is reconciled again at the commit, where an earlier result still counts.
 * @param sha the commit that is active in its environment.
 * @param tip a later commit of the branch with the same content for the environment.
 */
export function judgeWorkload(
  workload: FluxWorkload,
  revisions: Revisions,
  sha: string,
  tip?: string,
): Verdict {
  const { metadata, spec, status } = workload;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const detail = ready?.message === undefined || ready.message === '' ? '' : `: ${ready.message}`;
  const verdict = (phase: Verdict['phase'], message: string): Verdict => ({
    phase,
    message,
    /* That of a Kustomization changes at each interval. */
    ...(workload.kind === HelmRelease.kind && { changedAt: parseTimestamp(ready?.lastTransitionTime) }),
  });
  const isAt = (commit: string) => sha.startsWith(commit) || tip?.startsWith(commit) === true;
  const { generation = 0 } = metadata;
  /* Flux writes status.observedGeneration when a reconciliation succeeds; that of the condition is also written after a failure. */
  const hasFailed = ready?.status === 'False' && ready.observedGeneration === generation;
  if ((status.observedGeneration ?? 0) < generation && !hasFailed) {
    return verdict('in_progress', `${suspended(spec)}has not been reconciled since its spec changed`);
  }
  /* helm-controller writes status.observedGeneration of a suspended HelmRelease too, although it does not reconcile it. */
  if (workload.kind === HelmRelease.kind && spec.suspend === true) {
    return verdict('in_progress', 'is suspended, so changes of its spec are not reconciled');
  }
  const { attempted, applied } = revisions;
  if (ready?.status === 'False' && !waitingReasons.has(ready.reason ?? '')) {
    return attempted.some(isAt)
      ? verdict('failure', `is not Ready${detail}`)
      : verdict('in_progress', `failed at ${named(attempted)}, not ${shortSHA(sha)}`);
  }
  /* kustomize-controller sets Ready=Unknown at each interval, and for each retry; helm-controller does so only for an upgrade. */
  const isReconciling = workload.kind !== HelmRelease.kind && ready?.status === 'Unknown';
  const isRetrying = isReconciling && attempted.some(isAt);
  if (!applied.some(isAt)) {
    const message = `${suspended(spec)}is at ${named(applied)}, not ${shortSHA(sha)}`;
    return { ...verdict('in_progress', message), isRetrying };
  }
  if (ready?.status === 'True') return verdict('success', 'is Ready');
  const isRepeating = isReconciling && isAtAttempted(workload);
  return { ...verdict('in_progress', `is not Ready yet${detail}`), isRetrying, isRepeating };
}

/** Returns whether the last attempt of a Kustomization was made at the revision that it applied last. */
function isAtAttempted({ status: { lastAppliedRevision, lastAttemptedRevision } }: FluxWorkload): boolean {
  return (lastAttemptedRevision ?? lastAppliedRevision) === lastAppliedRevision;
}

/** Returns the commits of revisions such as `main@sha1:<sha>`, `sha1:<sha>` and, before Flux 2.0, `main/<sha>`. */
function commits(...revisions: (string | undefined)[]): string[] {
  return revisions.flatMap((revision) => {
    const commit = /(?:^|[:/])([0-9a-f]{40,64})$/.exec(revision ?? '')?.[1];
    return commit === undefined ? [] : [commit];
  });
}

function named(commitsOf: readonly string[]): string {
  return commitsOf.length === 0 ? 'no known commit' : commitsOf.map(shortSHA).join(' and ');
}

function suspended({ suspend }: FluxWorkload['spec']): string {
  return suspend === true ? 'is suspended and ' : '';
}
