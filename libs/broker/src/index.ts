export type * from './source/agent-store.js';
export type * from './source/job-source.js';
