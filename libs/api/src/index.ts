export * from './argocd.js';
export * from './commit-status/argocd-commit-status.js';
export * from './commit-status/commit-status.js';
export * from './commit-status/flux-commit-status.js';
export * from './commit-status/lookup.js';
export type {
  EnvironmentHealth,
  HealthSourceStatus,
  LabelSelector,
  SelectedObject,
  SourcePhase,
} from './commit-status/sources.js';
export * from './commit-status/timed-commit-status.js';
export * from './commit-status/validity.js';
export { conditionSeverity } from './condition-severity.js';
export * from './errors.js';
export * from './flux.js';
export * from './gating/gate-binding.js';
export * from './gating/gate-keeper.js';
export * from './gating/gate-override.js';
export * from './gating/gate.js';
export type { GateReference, GateState, GateTargetKind, NextChange } from './gating/fields.js';
export { fluxKinds } from './gating/fields.js';
export * from './git-names.js';
export * from './kinds.js';
export * from './labels.js';
export {
  gatingGroup,
  labels,
  projectName,
  annotations,
  finalizers,
  fieldManagers,
  conditions,
  promotionStatusKey,
} from './names.js';
export * from './object.js';
export * from './promoter/git-repository.js';
export * from './promoter/promotion-strategy.js';
export * from './promoter/proposed-commit.js';
export * from './promoter/pull-request.js';
export * from './promoter/revert-commit.js';
export * from './promoter/scm-provider.js';
export type { Check, CommitStatusPhase, HistoryEntry } from './promoter/fields.js';
export {
  ActionsGateway,
  type ActionsGatewaySpec,
  type ActionsGatewayStatus,
} from './runners/actions-gateway.js';
export * from './runners/names.js';
export { RunnerGroup, type RunnerGroupSpec, type RunnerGroupStatus } from './runners/runner-group.js';
export {
  workerProgramFile,
  workerProgramFolder,
  workerConfigMapName,
  runnerContainer,
  workerEnv,
  workerDefaults,
  reservedRunnerVariables,
  cancellationGraceSeconds,
  maxWorkerGraceSeconds,
  workerGraceSeconds,
  workerPodGraceSeconds,
  payloadKey,
  payloadChunkBytes,
  payloadChunkKey,
  workerCommand,
  workerExitCodes,
} from './runners/worker-contract.js';
export {
  runnerResults,
  type RunnerResult,
  type WorkerReport,
  parseWorkerReport,
} from './runners/worker-report.js';
export {
  type WorkerPodView,
  failedInitContainer,
  isFailedByKubelet,
  jobMayHaveStarted,
} from './runners/worker-start.js';
export { isFullSHA } from './schema/common.js';
export type { CelRule, CustomKind, CustomObject, PrintColumn } from './schema/define.js';
export { kubernetesTypeKey, type EmbeddedType } from './schema/embedded.js';
export { EventResponse, type EventResponseStatus } from './security/event-response.js';
export * from './security/gitops-responder-config.js';
export { SecurityEvent } from './security/security-event.js';
export * from './template.js';
export * from './text.js';
