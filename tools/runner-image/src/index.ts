export { runnerImage, runnerImageName, type RunnerImageOptions } from './runner-image.js';
export type { JobVariables, RunnerFault } from './stand-in/job.js';
