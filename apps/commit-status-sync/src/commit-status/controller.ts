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
  LastingFailures,
  or,
  type Cache,
  type ControllerHandle,
  type Manager,
  type Predicate,
  type ReconcileContext,
} from '@interlock/kube';
import type { RepositoryResolver } from '@interlock/scm';
import { decideSync, requestOf } from './decide.js';
import { inOrder } from './combine.js';
import { problemStatus, sentStatus, shownStatus } from './status.js';

const repositoryIndex = 'repository';
const shownIndex = 'shown';

/** Adds the controller that mirrors CommitStatuses to the SCM. */
export function addCommitStatusController(manager: Manager, resolver: RepositoryResolver): ControllerHandle {
  const commitStatuses = manager.cache(CommitStatus);
  const gitRepositories = manager.cache(GitRepository);
  commitStatuses.addIndex(repositoryIndex, (status) => [keyString(repositoryKey(status))]);
  commitStatuses.addIndex(shownIndex, (status) => [shownKey(status)]);
  const sharing = (status: CommitStatus): CommitStatus[] =>
    inOrder(commitStatuses.byIndex(shownIndex, shownKey(status)).filter(isStaying));
  const sync = new CommitStatusSync(manager, resolver, commitStatuses, gitRepositories, sharing);

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
      /* What is shown of several depends on all of them; only the first sends it. */
      {
        kind: CommitStatus,
        predicate: or(generationChanged, digestChanged),
        map: (status: CommitStatus) => sharing(status).map(keyOf),
      },
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

/** What the SCM keeps apart: repository, commit and name. */
function shownKey(status: CommitStatus): string {
  const { sha, name } = status.spec;
  return JSON.stringify([keyString(repositoryKey(status)), sha, name]);
}

function isStaying({ metadata }: CommitStatus): boolean {
  return metadata.deletionTimestamp === undefined;
}

const digestChanged: Predicate<KubeObject> = (event) =>
  event.type === 'updated' && digestOf(event.old) !== digestOf(event.object);

function digestOf(object: KubeObject): string | undefined {
  return (object as CommitStatus).status?.digest;
}

class CommitStatusSync {
  private readonly failures = new LastingFailures();

  constructor(
    private readonly manager: Manager,
    private readonly resolver: RepositoryResolver,
    private readonly commitStatuses: Cache<CommitStatus>,
    private readonly gitRepositories: Cache<GitRepository>,
    /** All that are shown as one with a CommitStatus, itself too, in order. */
    private readonly sharing: (status: CommitStatus) => CommitStatus[],
  ) {}

  hostOf(key: ObjectKey): string | undefined {
    const commitStatus = this.commitStatuses.get(key);
    return commitStatus && this.resolver.hostOf(repositoryKey(commitStatus));
  }

  async reconcile(key: ObjectKey, { now, signal }: ReconcileContext): Promise<void> {
    const commitStatus = this.commitStatuses.get(key);
    const name = keyString(key);
    if (commitStatus === undefined || commitStatus.metadata.deletionTimestamp !== undefined) {
      this.failures.clear(name);
      return;
    }
    const repository = repositoryKey(commitStatus);
    const sharing = this.sharing(commitStatus);
    const decision = decideSync(commitStatus, this.gitRepositories.get(repository), sharing);
    if (decision.type === 'inSync') return;
    const others = sharing.map(({ metadata }) => metadata.name).filter((name) => name !== key.name);
    if (decision.type === 'shown') {
      const { by, digest, shown } = decision;
      return this.report(
        commitStatus,
        shownStatus(commitStatus, { by, digest, phase: shown.phase, others }, now),
      );
    }
    if (decision.type !== 'send') {
      return this.report(
        commitStatus,
        problemStatus(commitStatus, decision, decision.type === 'invalid', now),
      );
    }
    try {
      const { repository: scm, plugin } = await this.resolver.resolve(repository);
      const { digest, shown } = decision;
      const ids = await scm.ensureCommitStatus(requestOf(commitStatus, shown, plugin), { signal });
      const sent = { plugin, ids, digest, phase: shown.phase, others };
      await this.report(commitStatus, sentStatus(commitStatus, sent, now));
      this.failures.clear(name);
    } catch (error) {
      /* A failure that passes by itself is shown when it lasts. */
      const lasts = isTyped(error, 'Transient', 'RateLimited') && this.failures.record(name, error, now);
      if (lasts || isTyped(error, 'Invalid', 'NotFound', 'Unauthorized', 'Permanent')) {
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
