import type { PullRequest } from '@interlock/api';
import type { ScmRegistry } from '@interlock/scm';
import type { RepositoryView } from '../repository/repositories.js';
import type { FreshReader } from './fresh.js';

/** The inputs for the confirmation of a merge. */
export interface Confirmation {
  reader: FreshReader;
  registry: Pick<ScmRegistry, 'remoteOf'>;
  /** The current state of the repository, just read from the remote. */
  view: RepositoryView;
  pullRequest: PullRequest;
  /** The commit to merge. */
  sha: string;
  /** Milliseconds since the epoch. */
  now: number;
}
