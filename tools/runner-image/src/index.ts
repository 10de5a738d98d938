export { PlayedRunners, type PlayedRunnersOptions, type RunnerBehaviour } from './played/played-runners.js';
export { StatusKubelet } from './played/status-kubelet.js';
export { runnerImage, runnerImageName, type RunnerImageOptions } from './runner-image.js';
export type { JobVariables, RunnerFault } from './stand-in/job.js';
