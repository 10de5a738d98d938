import {
  ClusterScmProvider,
  CommitStatus,
  fieldManagers,
  GitRepository,
  isTyped,
  keyOf,
  keyString,
  ScmProvider,
  type CommitStatusResourceStatus,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import {
  applyStatus,
  generationChanged,
  type Cache,
  type ControllerHandle,
  type Manager,
  type ReconcileContext,
} from '@interlock/kube';
import type { RepositoryResolver } from '@interlock/scm';
import { decideSync, requestOf } from './decide.js';
import { problemStatus, sentStatus } from './status.js';

const repositoryIndex = 'repository';

/** Adds the controller that mirrors CommitStatuses to the SCM. */
export function addCommitStatusController(manager: Manager, resolver: RepositoryResolver): ControllerHandle {
  const commitStatuses = manager.cache(CommitStatus);
  const gitRepositories = manager.cache(GitRepository);
  commitStatuses.addIndex(repositoryIndex, (status) => [keyString(repositoryKey(status))]);
  const sync = new CommitStatusSync(manager, resolver, commitStatuses, gitRepositories);

  const ofRepository = (repository: KubeObject): ObjectKey[] =>
    commitStatuses.byIndex(repositoryIndex, keyString(keyOf(repository))).map(keyOf);
  const ofProvider = (provider: KubeObject): ObjectKey[] =>
    gitRepositories
      .list()
      .filter(({ spec }) => spec.scmProviderRef.name === provider.metadata.name)
      .flatMap(ofRepository);

  return manager.addController({
    name: 'commit-status',
    for: { kind: CommitStatus, predicate: generationChanged },
    watches: [
      { kind: GitRepository, predicate: generationChanged, map: ofRepository },
      { kind: ScmProvider, predicate: generationChanged, map: ofProvider },
      { kind: ClusterScmProvider, predicate: generationChanged, map: ofProvider },
    ],
    external: { hostOf: (key) => sync.hostOf(key) },
    reconcile: (key, context) => sync.reconcile(key, context),
  });
}

function repositoryKey({ metadata, spec }: CommitStatus): ObjectKey {
  const { namespace } = metadata;
  return { ...(namespace !== undefined && { namespace }), name: spec.repoRef.name };
}

class CommitStatusSync {
  constructor(
    private readonly manager: Manager,
    private readonly resolver: RepositoryResolver,
    private readonly commitStatuses: Cache<CommitStatus>,
    private readonly gitRepositories: Cache<GitRepository>,
  ) {}

  hostOf(key: ObjectKey): string | undefined {
    const commitStatus = this.commitStatuses.get(key);
    return commitStatus && this.resolver.hostOf(repositoryKey(commitStatus));
  }

  async reconcile(key: ObjectKey, { now, signal }: ReconcileContext): Promise<void> {
    const commitStatus = this.commitStatuses.get(key);
    if (commitStatus === undefined || commitStatus.metadata.deletionTimestamp !== undefined) return;
    const repository = repositoryKey(commitStatus);
    const decision = decideSync(commitStatus, this.gitRepositories.get(repository));
    if (decision.type === 'inSync') return;
    if (decision.type !== 'send') {
      return this.report(
        commitStatus,
        problemStatus(commitStatus, decision, decision.type === 'invalid', now),
      );
    }
    try {
      const { repository: scm, plugin } = await this.resolver.resolve(repository);
      const ids = await scm.ensureCommitStatus(requestOf(commitStatus, plugin), { signal });
      await this.report(
        commitStatus,
        sentStatus(commitStatus, { plugin, ids, digest: decision.digest }, now),
      );
    } catch (error) {
      if (isTyped(error, 'Invalid', 'NotFound', 'Unauthorized', 'Permanent')) {
        await this.report(commitStatus, problemStatus(commitStatus, error, false, now));
      }
      throw error;
    }
  }

  private async report(commitStatus: CommitStatus, status: CommitStatusResourceStatus): Promise<void> {
    await applyStatus(this.manager.client, CommitStatus, commitStatus, status, {
      fieldManager: fieldManagers.commitStatusSync,
    });
  }
}
