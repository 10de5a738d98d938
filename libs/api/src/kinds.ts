import { ArgoCDCommitStatus } from './commit-status/argocd-commit-status.js';
import { CommitStatus } from './commit-status/commit-status.js';
import { FluxCommitStatus } from './commit-status/flux-commit-status.js';
import { TimedCommitStatus } from './commit-status/timed-commit-status.js';
import { GitRepository } from './promoter/git-repository.js';
import { PromotionStrategy } from './promoter/promotion-strategy.js';
import { ProposedCommit } from './promoter/proposed-commit.js';
import { PullRequest } from './promoter/pull-request.js';
import { RevertCommit } from './promoter/revert-commit.js';
import { ClusterScmProvider, ScmProvider } from './promoter/scm-provider.js';
import type { CustomKind } from './schema/define.js';

/** Every kind of the project, from which the CustomResourceDefinitions are generated. */
export const customKinds: readonly CustomKind[] = [
  ArgoCDCommitStatus,
  ClusterScmProvider,
  CommitStatus,
  FluxCommitStatus,
  GitRepository,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  RevertCommit,
  ScmProvider,
  TimedCommitStatus,
];
