export { Metrics, type MetricPlace } from './controllers/autoscaling/metrics.js';
export { startDevCluster, type DevCluster, type DevClusterOptions } from './devcluster.js';
export type { NodeOptions, NodeRuntime, Taint } from './kubelet/node/options.js';
export type { SimulationRule } from './kubelet/simulated/orders.js';
export type { Outcome } from './kubelet/simulated/outcome.js';
export type { Nodes, SimulatedPods } from './kubelet/start-nodes.js';
export { ruleBudget, type RuleCost } from './schema/crd/cel-rules.js';
export { ruleCosts } from './schema/crd/rule-costs.js';
export type { Fault, FaultRequest, Faults } from './server/faults.js';
