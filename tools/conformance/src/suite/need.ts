/**
 * The feature that a case requires in addition to the API itself:
 * - `core`: the core API (namespaces, ConfigMaps); the CustomResourceDefinition server of Kubernetes alone does not
 *   serve it.
 * - `controllers`: the controller manager (garbage collection, deletion of namespaces, aggregated ClusterRoles,
 *   workloads, endpoints, budgets, autoscalers).
 * - `nodes`: a node that is Ready, with a scheduler and a kubelet that run pods on it.
 * - `webhooks`: the API server can reach this machine at the host of `--webhook-host`.
 */
export type Need = 'core' | 'controllers' | 'nodes' | 'webhooks';
