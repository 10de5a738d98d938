import {
  GitRepository,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  typeMeta,
  type KubeObject,
  type ObjectMeta,
} from '@interlock/api';

/** What differs from the object that a test takes by default: single fields of metadata and spec, and the status. */
interface Differences<T extends KubeObject & { spec: object; status?: object }> {
  metadata?: Partial<ObjectMeta> | undefined;
  spec?: Partial<T['spec']> | undefined;
  status?: T['status'] | undefined;
}

/** Returns the GitRepository `web` of the namespace `team`. */
export function gitRepository({ metadata, spec, status }: Differences<GitRepository> = {}): GitRepository {
  return {
    ...typeMeta(GitRepository),
    metadata: { name: 'web', namespace: 'team', ...metadata },
    spec: {
      scmProviderRef: { kind: 'ScmProvider', name: 'forge' },
      github: { owner: 'acme', name: 'web' },
      ...spec,
    },
    ...(status && { status }),
  };
}

/** Returns the PromotionStrategy `shop` of the environment `dev`. */
export function promotionStrategy(differences: Differences<PromotionStrategy> = {}): PromotionStrategy {
  const { metadata, spec, status } = differences;
  return {
    ...typeMeta(PromotionStrategy),
    metadata: { name: 'shop', namespace: 'team', uid: 'u1', generation: 1, ...metadata },
    spec: {
      repoRef: { name: 'repo' },
      dryBranch: 'main',
      proposedBranchSuffix: '-next',
      driftPolicy: 'Overwrite',
      promotionPolicy: 'ReleaseLatest',
      environments: [{ branch: 'dev', autoMerge: true }],
      ...spec,
    },
    ...(status && { status }),
  };
}

/** Returns the ProposedCommit `app-dev`, from dev-next into dev. */
export function proposedCommit(differences: Differences<ProposedCommit> = {}): ProposedCommit {
  const { metadata, spec, status } = differences;
  return {
    ...typeMeta(ProposedCommit),
    metadata: { name: 'app-dev', namespace: 'team', uid: 'u1', generation: 3, ...metadata },
    spec: {
      repoRef: { name: 'repo' },
      proposedBranch: 'dev-next',
      activeBranch: 'dev',
      autoMerge: true,
      driftPolicy: 'Overwrite',
      ...spec,
    },
    ...(status && { status }),
  };
}

/** Returns the PullRequest `app-dev`, from dev-next into dev, that is to be open. */
export function pullRequest({ metadata, spec, status }: Differences<PullRequest> = {}): PullRequest {
  return {
    ...typeMeta(PullRequest),
    metadata: { name: 'app-dev', namespace: 'team', ...metadata },
    spec: { title: 't', sourceBranch: 'dev-next', targetBranch: 'dev', state: 'open', ...spec },
    ...(status && { status }),
  };
}
