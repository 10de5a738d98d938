/** The names that the gateway writes on the objects of a tenant, and by which it selects them. */

export const actionsGatewayGroup = 'actions-gateway.github.com';

/**
 * Prefix of the annotations on worker pods. It is not the API group, so that the annotations survive a change of it.
 */
const annotationDomain = 'actions-gateway.com';

export const runnerLabels = {
  /**
   * On the controller and on worker pods, where it is `workload`: selects the pods that may use the egress proxy. On
   * records of the controller: `job`, `agent` or `rerun`.
   */
  component: 'actions-gateway/component',
  /** On worker pods and on the Secrets of a RunnerGroup: its name as a label value. */
  runnerGroup: 'actions-gateway/runner-group',
  /** On worker pods and on the Secrets of jobs: the plan ID of the job as a label value. */
  planId: 'actions-gateway/plan-id',
} as const;

/**
 * The scheduling gate of a worker pod. It is removed when the pod is recorded: a pod that is not recorded must not start, because
 * it could be removed unnoticed, and its job would be started again.
 */
export const recordedGate = `${annotationDomain}/recorded`;

/** The value of {@link runnerLabels.component} on the controller and on worker pods. */
export const workloadComponent = 'workload';

export const runnerAnnotations = {
  /** On worker pods: the ID of the workflow run of the job. */
  runId: `${annotationDomain}/run-id`,
  /** On worker pods: the repository of the workflow run, `owner/name`. */
  repository: `${annotationDomain}/repository`,
  /** On worker pods: the name of the job, shortened. */
  jobName: `${annotationDomain}/job-name`,
  /** On worker pods: the name of the workflow, shortened. */
  workflow: `${annotationDomain}/workflow`,
  /** On worker pods: the ID of the trace of the job, if traces are sent. */
  traceId: `${annotationDomain}/trace-id`,
  /** On worker pods: why the controller deletes the pod, written before the deletion. */
  deletionReason: `${annotationDomain}/deletion-reason`,
  /** On worker pods that have not ended: when it was found that they no longer have a recorded job (RFC 3339). */
  jobCompletedAt: `${annotationDomain}/job-completed-at`,
  /** On the Secret of a job: the record from which a replacement of the controller continues (JSON). */
  jobRecord: `${annotationDomain}/job-record`,
  /** On the Secret of a job: until when GitHub keeps the job for this installation (RFC 3339). */
  lockedUntil: `${annotationDomain}/locked-until`,
  /** On the Secret of a registered runner: the replica of the controller that uses it. */
  ledBy: `${annotationDomain}/led-by`,
} as const;

export const runnerFinalizers = {
  /** On a RunnerGroup: removes the runners of the group from GitHub before the RunnerGroup is deleted. */
  agentPoolCleanup: `${actionsGatewayGroup}/agentpool-cleanup`,
  /** On an ActionsGateway: ends the runners and removes the objects of the tenant before the gateway is deleted. */
  gatewayCleanup: `${actionsGatewayGroup}/gmc-cleanup`,
} as const;

/** The service account of worker pods. It has no permissions, and its token is not mounted. */
export const workerServiceAccount = 'actions-gateway-worker';

/** Condition types of an ActionsGateway besides `Ready`, {@link runnerConditions.degraded} and {@link runnerConditions.credentialUnavailable}. */
export const gatewayConditions = {
  /** The number of ready egress proxy pods is at least `proxy.minReplicas`. */
  proxyAvailable: 'ProxyAvailable',
  /** A pod of the controller is ready. */
  agcAvailable: 'AGCAvailable',
  /** RunnerGroups of the gateway report a problem that requires an operator. */
  runnerGroupsDegraded: 'RunnerGroupsDegraded',
  /** The networks of GitHub in the NetworkPolicy of the proxy may be out of date. */
  egressRulesStale: 'EgressRulesStale',
  /** A ResourceQuota of the namespace leaves no room for the pods of the proxy. */
  proxyQuotaExceeded: 'ProxyQuotaExceeded',
  /** The certificate authorities of `gitHubCABundleRef` are missing or malformed. */
  caBundleUnavailable: 'CABundleUnavailable',
} as const;

/** Condition types of a RunnerGroup besides `Ready`. */
export const runnerConditions = {
  /** Sessions or agents of the group fail. */
  degraded: 'Degraded',
  /** GitHub has answered the polls of the group with 429 for a while. */
  rateLimited: 'RateLimited',
  /** The version of the runner is below the minimum of GitHub. */
  runnerVersionTooOld: 'RunnerVersionTooOld',
  /** The credential of the GitHub App is missing or is refused. */
  credentialUnavailable: 'CredentialUnavailable',
  /** A worker pod has been unschedulable for a large part of its pendingPodDeadline. */
  workersUnschedulable: 'WorkersUnschedulable',
  /** A ResourceQuota of the namespace has no room for another worker pod. */
  workerQuotaExceeded: 'WorkerQuotaExceeded',
} as const;
