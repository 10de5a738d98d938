import { ArgoCDCommitStatus } from './commit-status/argocd-commit-status.js';
import { CommitStatus } from './commit-status/commit-status.js';
import { FluxCommitStatus } from './commit-status/flux-commit-status.js';
import { TimedCommitStatus } from './commit-status/timed-commit-status.js';
import { Gate } from './gating/gate.js';
import { GateBinding } from './gating/gate-binding.js';
import { GateKeeper } from './gating/gate-keeper.js';
import { GateOverride } from './gating/gate-override.js';
import { GitRepository } from './promoter/git-repository.js';
import { PromotionStrategy } from './promoter/promotion-strategy.js';
import { ProposedCommit } from './promoter/proposed-commit.js';
import { PullRequest } from './promoter/pull-request.js';
import { RevertCommit } from './promoter/revert-commit.js';
import { ClusterScmProvider, ScmProvider } from './promoter/scm-provider.js';
import { ActionsGateway } from './runners/actions-gateway.js';
import { RunnerGroup } from './runners/runner-group.js';
import { EventResponse } from './security/event-response.js';
import { GitOpsResponderConfig } from './security/gitops-responder-config.js';
import { SecurityEvent } from './security/security-event.js';
import type { CustomKind } from './schema/define.js';

/** Every kind of the project, from which the CustomResourceDefinitions are generated. */
export const customKinds: readonly CustomKind[] = [
  ActionsGateway,
  ArgoCDCommitStatus,
  ClusterScmProvider,
  CommitStatus,
  EventResponse,
  FluxCommitStatus,
  Gate,
  GateBinding,
  GateKeeper,
  GateOverride,
  GitOpsResponderConfig,
  GitRepository,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  RevertCommit,
  RunnerGroup,
  ScmProvider,
  SecurityEvent,
  TimedCommitStatus,
];
