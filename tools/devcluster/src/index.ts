export { Metrics, type MetricPlace } from './controllers/autoscaling/metrics.js';
export { startDevCluster, type DevCluster, type DevClusterOptions } from './devcluster.js';
export { ruleBudget, type RuleCost } from './schema/crd/cel-rules.js';
export { ruleCosts } from './schema/crd/rule-costs.js';
export type { Fault, FaultRequest, Faults } from './server/faults.js';
