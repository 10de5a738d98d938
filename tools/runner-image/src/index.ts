export { PlayedRunners } from './played/played-runners.js';
export { StatusKubelet } from './played/status-kubelet.js';
export { runnerImage } from './runner-image.js';
export type { JobVariables } from './stand-in/job.js';
