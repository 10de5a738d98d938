import { TypedError } from '@interlock/api';
import { RefusalError } from '../http/errors.js';
import type { Mergeability, PullRequestInfo } from '../scm.js';

/** A merge request, and GitLab's reason why it cannot be merged. */
export interface ShownMergeRequest {
  info: PullRequestInfo;
  obstacle: string;
}

const reasons: Readonly<Record<Mergeability, string>> = {
  conflicting: 'MergeConflict',
  blocked: 'Blocked',
  behind: 'Behind',
  mergeable: 'NotMergeable',
  unknown: 'NotMergeable',
};

/**
 * Explains the refusal of a merge (REST API, "Merge a merge request"). GitLab reports only "405 Method Not Allowed"
 * or "Branch cannot be merged"; the merge request itself contains the reason.
 *
 * @param headSha the required head.
 * @param now returns the current merge request.
 */
export async function mergeError(
  refused: TypedError,
  headSha: string,
  now: () => Promise<ShownMergeRequest>,
): Promise<TypedError> {
  const conflict = (reason: string, detail = ''): TypedError =>
    new TypedError('Conflict', `${refused.message}${detail === '' ? '' : ` (${detail})`}`, { reason });
  if (!(refused instanceof RefusalError)) return refused;
  if (refused.status === 401) {
    return new TypedError(
      'Unauthorized',
      `${refused.message}; the credential is not allowed to merge into the branch`,
      {
        reason: 'Forbidden',
      },
    );
  }
  if (refused.status === 409) return conflict('HeadMoved');
  if (![405, 406, 422].includes(refused.status)) return refused;
  const shown = await now().catch(() => undefined);
  if (shown === undefined) return conflict('NotMergeable');
  const { info, obstacle } = shown;
  if (info.state !== 'open') return conflict('NotOpen', info.state);
  if (info.headSha !== headSha) return conflict('HeadMoved', `the head is ${info.headSha}`);
  return conflict(reasons[info.mergeability], obstacle);
}
