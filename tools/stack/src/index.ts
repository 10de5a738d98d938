export { apps, type AppName, type Fleet } from './fleet/fleet.js';
export { requestRefresh } from './fleet/tenant.js';
export { LocalRepository } from './git.js';
export { startStack, type Remote, type Stack, type StackOptions } from './stack.js';
export { settle } from './story/settle.js';
export { demoStory, replayStory, repositoryStory, temporaryFolder, type Story } from './story/story.js';
export { findProblems, recordMerges, writesAfterRestart, type Merge } from './story/verify.js';
