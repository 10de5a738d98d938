import { CommitStatus, keyOf, TimedCommitStatus, type KubeObject } from '@interlock/api';
import { generationChanged, type Manager } from '@interlock/kube';
import { actOnSource, type Actor } from '../sources/act.js';
import { observeSource, sourcesOf, strategyKey, type SourceCaches } from '../sources/caches.js';
import { specOrLabelsChanged, strategyWatch } from '../sources/causes.js';
import { decideTimed } from './decide.js';

/** Adds the controller of TimedCommitStatuses. Every change of a CommitStatus wakes those of its namespace. */
export function addTimedController(manager: Manager, actor: Actor, caches: SourceCaches): void {
  const { timed, commitStatuses } = caches;
  const inNamespaceOf = ({ metadata }: KubeObject) =>
    timed.list(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }).map(keyOf);
  manager.addController({
    name: 'timed-commit-status',
    for: { kind: TimedCommitStatus, predicate: generationChanged },
    owns: [{ kind: CommitStatus, predicate: specOrLabelsChanged }],
    watches: [
      strategyWatch(timed),
      { kind: CommitStatus, predicate: specOrLabelsChanged, map: inNamespaceOf },
      /* Whether another timer has to be left out depends on its key. */
      { kind: TimedCommitStatus, predicate: generationChanged, map: inNamespaceOf },
    ],
    reconcile: async (key, { now }) => {
      const source = timed.get(key);
      if (source === undefined || source.metadata.deletionTimestamp !== undefined) return;
      const { namespace } = key;
      const decision = decideTimed(
        {
          observed: observeSource(caches, source),
          commitStatuses: commitStatuses.list(namespace === undefined ? {} : { namespace }),
          timerKeys: new Set(sourcesOf(timed, strategyKey(source)).map(({ spec }) => spec.key)),
        },
        now,
      );
      await actOnSource(actor, TimedCommitStatus, source, decision);
      return decision;
    },
  });
}
