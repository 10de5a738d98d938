export { startDevCluster, type DevCluster, type DevClusterOptions } from './devcluster.js';
export type { Fault, FaultRequest, Faults } from './server/faults.js';
