export { startDevCluster, type DevCluster } from './devcluster.js';
export type { NodeOptions } from './kubelet/node/options.js';
export { workspaceImages } from './kubelet/process/image-file.js';
export type { ImageTable } from './kubelet/process/image-table.js';
export { ruleBudget } from './schema/crd/cel-rules.js';
export { ruleCosts } from './schema/crd/rule-costs.js';
export type { FaultRequest } from './server/faults.js';
