import { GitRepository, PromotionStrategy, ProposedCommit, PullRequest } from '@interlock/api';
import { buildObject, type Differences } from '@interlock/kube/testing';

const namespace = 'team';

/** Returns the GitRepository `web` of the namespace `team`. */
export const gitRepository = (differences?: Differences<GitRepository>): GitRepository =>
  buildObject(
    GitRepository,
    {
      metadata: { name: 'web', namespace },
      spec: {
        scmProviderRef: { kind: 'ScmProvider', name: 'forge' },
        github: { owner: 'acme', name: 'web' },
      },
    },
    differences,
  );

/** Returns the PromotionStrategy `shop` of the environment `dev`. */
export const promotionStrategy = (differences?: Differences<PromotionStrategy>): PromotionStrategy =>
  buildObject(
    PromotionStrategy,
    {
      metadata: { name: 'shop', namespace, uid: 'u1', generation: 1 },
      spec: {
        repoRef: { name: 'repo' },
        dryBranch: 'main',
        proposedBranchSuffix: '-next',
        driftPolicy: 'Overwrite',
        promotionPolicy: 'ReleaseLatest',
        environments: [{ branch: 'dev', autoMerge: true }],
      },
    },
    differences,
  );

/** Returns the ProposedCommit `app-dev`, from dev-next into dev. */
export const proposedCommit = (differences?: Differences<ProposedCommit>): ProposedCommit =>
  buildObject(
    ProposedCommit,
    {
      metadata: { name: 'app-dev', namespace, uid: 'u1', generation: 3 },
      spec: {
        repoRef: { name: 'repo' },
        proposedBranch: 'dev-next',
        activeBranch: 'dev',
        autoMerge: true,
        driftPolicy: 'Overwrite',
      },
    },
    differences,
  );

/** Returns the PullRequest `app-dev`, from dev-next into dev, that is to be open. */
export const pullRequest = (differences?: Differences<PullRequest>): PullRequest =>
  buildObject(
    PullRequest,
    {
      metadata: { name: 'app-dev', namespace },
      spec: { title: 't', sourceBranch: 'dev-next', targetBranch: 'dev', state: 'open' },
    },
    differences,
  );
