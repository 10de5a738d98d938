export { createCache } from './cache/cache.js';
export { cachedReads } from './cache/cached-reads.js';
export {
  createOptionalCache,
  type Availability,
  type OptionalCache,
  type OptionalCacheOptions,
} from './cache/optional.js';
export type { CacheReader, CacheEvent, CacheOptions, Cache } from './cache/types.js';
export { ApiError, isAlreadyExists } from './client/api-error.js';
export { ClockSkew, serverClock } from './client/clock-skew.js';
export { readClusterEntry } from './client/cluster-entry.js';
export { createClient } from './client/client.js';
export { loadCredentials, type CredentialsSource, type KubeConfigSource } from './client/credentials.js';
export { parseApiVersion, type TypeName } from './client/discovery.js';
export * from './client/kinds.js';
export { LineDecoder } from './client/line-decoder.js';
export { createTransport, type HttpRequest, type Transport } from './client/transport.js';
export type {
  CallOptions,
  WriteOptions,
  ApplyOptions,
  ListOptions,
  ApplyConfiguration,
  Client,
} from './client/types.js';
export { problemStatus } from './reconciler/problem-status.js';
export {
  type StatusOf,
  Later,
  Failure,
  type Observation,
  type ObserveContext,
  type ActContext,
  type Conclusion,
  type Concluding,
  type Reconciler,
} from './reconciler/types.js';
export { Applier } from './runtime/applier.js';
export {
  type ConditionInput,
  setCondition,
  removeCondition,
  getCondition,
  isTrue,
  type ConditionReason,
  type Mark,
  markReady,
  markReconciling,
  markStalled,
  markProblem,
  markWhile,
  changedConditions,
} from './runtime/conditions.js';
export type { EventInput } from './runtime/event-object.js';
export { EventRecorder } from './runtime/events.js';
export { markFailed } from './runtime/failure-condition.js';
export { LeaderElector } from './runtime/leader-election.js';
export { createManager } from './runtime/manager.js';
export type * from './runtime/manager-types.js';
export { childName, labelValue } from './runtime/names.js';
export { controllerOf, controllerReference, isControlledBy } from './runtime/owners.js';
export {
  generationChanged,
  labelsChanged,
  annotationsChanged,
  or,
  specOrLabelsChanged,
} from './runtime/predicates.js';
export type { Runnable } from './runtime/runnable.js';
export type {
  Predicate,
  WatchSource,
  ControllerHandle,
  LeaderElectionOptions,
  ReconcileContext,
} from './runtime/types.js';
