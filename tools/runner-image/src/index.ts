export { SimulatedRunners } from './simulated/simulated-runners.js';
export { StatusKubelet } from './simulated/status-kubelet.js';
export { runnerImage } from './runner-image.js';
export type { JobVariables } from './program/job.js';
