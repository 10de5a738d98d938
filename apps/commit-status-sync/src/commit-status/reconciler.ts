import {
  ClusterScmProvider,
  CommitStatus,
  GitRepository,
  ScmProvider,
  type KubeObject,
} from '@interlock/api';
import { generationChanged, or, type Manager, type Predicate } from '@interlock/kube';
import type { RepositoryResolver } from '@interlock/scm';
import { actOnCommitStatus } from './act.js';
import { concludeCommitStatus } from './conclude.js';
import { decideSync } from './decide.js';
import { CommitStatusCaches } from './observe.js';

/** Adds the reconciler that mirrors CommitStatuses to the SCM. */
export function addCommitStatusReconciler(manager: Manager, resolver: RepositoryResolver): void {
  const caches = new CommitStatusCaches(manager);
  const ofProvider = (provider: KubeObject) => caches.ofProvider(provider);
  manager.addReconciler({
    name: 'commit-status',
    transitions: { of: [] },
    for: { kind: CommitStatus, predicate: generationChanged },
    watches: [
      {
        kind: CommitStatus,
        predicate: or(generationChanged, digestChanged),
        map: (status: CommitStatus) => caches.concernedBy(status),
      },
      {
        kind: GitRepository,
        predicate: generationChanged,
        map: (repository) => caches.ofRepository(repository),
      },
      { kind: ScmProvider, predicate: generationChanged, map: ofProvider },
      { kind: ClusterScmProvider, predicate: generationChanged, map: ofProvider },
    ],
    external: {
      hostOf: (key) => {
        const repository = caches.repositoryOf(key);
        return repository && resolver.hostOf(repository);
      },
    },
    observe: (commitStatus, { now }) => caches.observe(commitStatus, now),
    decide: decideSync,
    act: (decision, observed, context) => actOnCommitStatus(resolver, observed, decision, context),
    conclude: concludeCommitStatus,
  });
}

const digestChanged: Predicate<KubeObject> = (event) =>
  event.type === 'updated' && digestOf(event.old) !== digestOf(event.object);

function digestOf(object: KubeObject): string | undefined {
  return (object as CommitStatus).status?.digest;
}
