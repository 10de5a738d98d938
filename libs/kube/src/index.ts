export { createCache, type CacheDependencies } from './cache/cache.js';
export { cachedReads } from './cache/cached-reads.js';
export { noCacheMetrics, type CacheMetrics, type WatchEnd } from './cache/metrics.js';
export {
  createOptionalCache,
  type Availability,
  type OptionalCache,
  type OptionalCacheOptions,
} from './cache/optional.js';
export { sharedCaches, type SharedCaches } from './cache/shared-caches.js';
export type * from './cache/types.js';
export { trackWrites, type WriteTracker } from './cache/write-tracker.js';
export { ApiError, isAlreadyExists, isExpired, networkReason, type StatusCause } from './client/api-error.js';
export { ClockSkew } from './client/clock-skew.js';
export { readClusterEntry, type ClusterEntry } from './client/cluster-entry.js';
export { createClient, type ClientOptions, type Impersonation } from './client/client.js';
export { loadCredentials, type CredentialsSource, type KubeConfigSource } from './client/credentials.js';
export { parseApiVersion, type TypeName } from './client/discovery.js';
export * from './client/kinds.js';
export { LineDecoder } from './client/line-decoder.js';
export { noClientMetrics, type ClientMetrics } from './client/metrics.js';
export { createTransport, type HttpRequest, type Transport } from './client/transport.js';
export type * from './client/types.js';
export * from './reconciler/types.js';
export { Applier } from './runtime/applier.js';
export * from './runtime/conditions.js';
export type { EventInput, Reporter } from './runtime/event-object.js';
export { EventRecorder, type EventRecorderOptions } from './runtime/events.js';
export { markFailed } from './runtime/failure-condition.js';
export { LeaderElector, type LeaderElectorOptions } from './runtime/leader-election.js';
export { createManager, type ManagerOptions } from './runtime/manager.js';
export type * from './runtime/manager-types.js';
export { noMetrics, type RuntimeMetrics } from './runtime/metrics-types.js';
export { childName, labelValue } from './runtime/names.js';
export { controllerOf, controllerReference, isControlledBy } from './runtime/owners.js';
export * from './runtime/predicates.js';
export { WorkQueue, type WorkQueueOptions } from './runtime/queue.js';
export { retryPolicy, type RetryPolicy } from './runtime/retry-policy.js';
export type { Runnable } from './runtime/runnable.js';
export type * from './runtime/types.js';
