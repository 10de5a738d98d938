import type { CommitStatus } from './commit-status.js';

/**
 * Returns a CommitStatus as it counts at a time: a success that is not valid any more is in progress, even if its reporter does not
 * run.
 *
 * @param now milliseconds since the epoch.
 */
export function commitStatusAt(status: CommitStatus, now: number): CommitStatus {
  const { validUntil } = status.spec;
  const end = endOfSuccess(status);
  if (end === undefined || end > now) return status;
  const description = `its success was valid until ${validUntil}; its reporter has to renew it`;
  return { ...status, spec: { ...status.spec, phase: 'in_progress', description } };
}

/** Returns when the success of a CommitStatus ends, in milliseconds since the epoch; undefined if it does not end by itself. */
export function endOfSuccess({ spec: { phase, validUntil } }: CommitStatus): number | undefined {
  return phase === 'success' && validUntil !== undefined ? Date.parse(validUntil) : undefined;
}
