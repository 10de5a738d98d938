import type { PullRequest } from '@interlock/api';
import type { ScmRegistry } from '@interlock/scm';
import type { RepositoryView } from '../repository/repositories.js';
import type { FreshReader } from './fresh.js';

/** What a merge is confirmed with. */
export interface Confirmation {
  reader: FreshReader;
  registry: Pick<ScmRegistry, 'remoteOf'>;
  /** Read from the remote just now. */
  view: RepositoryView;
  pullRequest: PullRequest;
  /** The commit to merge. */
  sha: string;
  /** Milliseconds since the epoch. */
  now: number;
}
