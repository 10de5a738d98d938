import type { Cluster } from '../api/cluster.js';
import { AutoscalingController } from './autoscaling/controller.js';
import type { Metrics } from './autoscaling/metrics.js';
import { bootstrap } from './bootstrap.js';
import { CustomResources } from './custom-resources/controller.js';
import { startDeployments } from './deployment/controller.js';
import { startDisruption } from './disruption/controller.js';
import { watchEndpointSlices } from './endpoint-slices/controller.js';
import { watchEndpoints } from './endpoints/controller.js';
import { GarbageCollector } from './garbage-collector/controller.js';
import { startJobs } from './job/controller.js';
import { watchNamespaceContent } from './namespace-content/controller.js';
import { watchNamespaceDeletion } from './namespace-deletion/controller.js';
import { NodeLifecycle } from './node-lifecycle/controller.js';
import { PodGarbageCollector } from './pod-gc/controller.js';
import { watchPolicyStatus } from './policy-status/controller.js';
import { watchQuotas } from './quota/controller.js';
import { watchRbac } from './rbac/controller.js';
import { startReplicaSets } from './replica-set/controller.js';
import { TaintEviction } from './taint-eviction/controller.js';
import { startTtlAfterFinished } from './ttl-after-finished/controller.js';

interface ControllerOptions {
  /** The certificate authority of the API server, PEM. */
  caCert: string;
  /** Delay in milliseconds between the request to delete a namespace and the deletion of its content. */
  namespaceGraceMs: number;
  /** The metrics that autoscalers read. */
  metrics: Metrics | undefined;
}

/**
 * Starts the controllers of kube-controller-manager, and creates the initial objects of a cluster. Returns a function
 * that stops them.
 */
export async function startControllers(
  cluster: Cluster,
  { caCert, namespaceGraceMs, metrics }: ControllerOptions,
): Promise<(() => void)[]> {
  const stops = [
    new CustomResources(cluster).start(),
    watchNamespaceContent(cluster, caCert),
    watchRbac(cluster),
    watchNamespaceDeletion(cluster, namespaceGraceMs),
    watchPolicyStatus(cluster),
    new GarbageCollector(cluster).start(),
    watchQuotas(cluster),
    startReplicaSets(cluster),
    startDeployments(cluster),
    startJobs(cluster),
    startTtlAfterFinished(cluster),
    watchEndpoints(cluster),
    watchEndpointSlices(cluster),
    new NodeLifecycle(cluster).start(),
    new TaintEviction(cluster).start(),
    new PodGarbageCollector(cluster).start(),
    startDisruption(cluster),
    new AutoscalingController(cluster, metrics).start(),
  ];
  await bootstrap(cluster);
  return stops;
}
