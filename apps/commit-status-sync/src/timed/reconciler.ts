import { CommitStatus, keyOf, TimedCommitStatus, type KubeObject } from '@interlock/api';
import { generationChanged, specOrLabelsChanged, type Manager } from '@interlock/kube';
import { observeSource, sourcesOf, strategyKey, type SourceCaches } from '../sources/caches.js';
import { strategyWatch } from '../sources/watches.js';
import { addSourceReconciler } from '../sources/reconciler.js';
import { decideTimed, type ObservedTimed } from './decide.js';

/**
 * Adds the reconciler of TimedCommitStatuses. Every change of a CommitStatus wakes the TimedCommitStatuses of its
 * namespace.
 */
export function addTimedReconciler(manager: Manager, caches: SourceCaches): void {
  const { timed, commitStatuses } = caches;
  const inNamespaceOf = ({ metadata }: KubeObject) =>
    timed.list({ namespace: metadata.namespace }).map(keyOf);
  addSourceReconciler<TimedCommitStatus, ObservedTimed>(manager, {
    name: 'timed-commit-status',
    kind: TimedCommitStatus,
    watches: [
      strategyWatch(timed),
      { kind: CommitStatus, predicate: specOrLabelsChanged, map: inNamespaceOf },
      /* Whether another timer has to be omitted depends on its key. */
      { kind: TimedCommitStatus, predicate: generationChanged, map: inNamespaceOf },
    ],
    observe(source) {
      const { namespace } = source.metadata;
      return {
        observed: observeSource(caches, source),
        commitStatuses: commitStatuses.list({ namespace }),
        timerKeys: new Set(sourcesOf(timed, strategyKey(source)).map(({ spec }) => spec.key)),
      };
    },
    decide: decideTimed,
  });
}
