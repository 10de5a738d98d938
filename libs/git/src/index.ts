export { createGit, type Git, type MirrorOptions } from './git.js';
export type { HistoryReader } from './history.js';
export type { Mirror } from './mirror.js';
export type { Commit } from './objects/commit.js';
export { gitMemoryBytes } from './process/memory-share.js';
export { formatTrailers, withTrailers } from './trailers.js';
export { hydratorMetadataFile, hydratorNotesRef, hydrationOf, type Hydration } from './hydration.js';
