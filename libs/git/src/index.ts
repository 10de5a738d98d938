export { createGit, type Git, type MirrorOptions } from './git.js';
export type { Cancellable, HistoryReader } from './history.js';
export type { Mirror } from './mirror.js';
export type { Commit, Identity } from './objects/commit.js';
export type { GitLogger, GitOptions, GitTimeouts } from './options.js';
export { gitMemoryBytes } from './process/memory-share.js';
export type { GitCredentials } from './process/environment.js';
export type { Refreshed } from './remote/sync.js';
export type { CredentialSource } from './remote/remote-git.js';
export type { MergeResult } from './objects/merge-result.js';
export type { NewCommit, Push } from './write.js';
export { checkUrl, isObjectId, type Transport } from './names.js';
export { formatTrailers, parseTrailers, withTrailers, type Trailers } from './trailers.js';
export {
  dryShaOf,
  hydratorMetadataFile,
  hydratorNotesRef,
  hydrationOf,
  parseHydratorMetadata,
  parseHydratorNote,
  type Hydration,
  type HydrationQuery,
  type HydratorMetadata,
} from './hydration.js';
