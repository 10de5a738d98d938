import type { EventResponse } from '@interlock/api';
import { operationsOfMessage, responseOfBody, responseOfMessage, uidOf } from '@interlock/responding';
import type { Commit, PullRequestInfo, ScmRepository } from '@interlock/scm';
import type { SeenRequest } from '../event-response/observed.js';

/** The precedence of states among several pull requests. */
const order = { open: 0, merged: 1, closed: 2 } as const;

/**
 * Returns the pull request of a response in any state: by its branch, then by the marker in its text, because its branch may
 * have another name now.
 * @param branch of the response.
 */
export async function findRequest(
  repository: ScmRepository,
  response: EventResponse,
  branch: string,
  signal: AbortSignal,
): Promise<PullRequestInfo | undefined> {
  const uid = uidOf(response);
  const isChosen = (response.spec.action.parameters?.['branch'] ?? '') !== '';
  const isOwn = ({ body }: PullRequestInfo): boolean => responseOfBody(body) === uid;
  const onBranch = await repository.findPullRequests({ head: branch, state: 'all' }, { signal });
  /* A branch whose name the response chose may have existed before. */
  const candidates = isChosen ? onBranch.filter(isOwn) : onBranch;
  const [found] = candidates.sort((a, b) => order[a.state] - order[b.state] || b.id - a.id);
  if (found !== undefined) return found;
  const open = await repository.findPullRequests({ state: 'open' }, { signal });
  return open.find(isOwn);
}

/** Returns a pull request in the form that the status of a response shows. */
export function seenOf({ id, url, head, headSha, state, mergeSha }: PullRequestInfo): SeenRequest {
  return {
    number: id,
    url,
    branch: head,
    headSHA: headSha,
    state,
    ...(mergeSha !== undefined && { mergedSHA: mergeSha }),
  };
}

/** Returns whether a response made a commit. */
export function isCommitOf(response: EventResponse, { message }: { message: string }): boolean {
  return responseOfMessage(message) === uidOf(response);
}

/** Returns whether a commit makes exactly the change of these operations to a base. */
export function isCommitFor(
  { message, parents }: Commit,
  { digest, base }: { digest: string; base: string },
): boolean {
  return operationsOfMessage(message) === digest && parents.length === 1 && parents[0] === base;
}
