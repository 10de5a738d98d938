import type { CommitStatusPhase } from '@interlock/api';

/** The states of commit statuses at GitHub, which Gitea has as well. */
export const phaseOfState: Readonly<Record<string, CommitStatusPhase>> = {
  pending: 'in_progress',
  success: 'success',
  failure: 'failure',
  error: 'cancelled',
};
