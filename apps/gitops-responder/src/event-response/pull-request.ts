import { isTyped, messageOf, TypedError, type EventResponse } from '@interlock/api';
import type { ReconcileContext } from '@interlock/kube';
import { renderMarkdown, uidOf } from '@interlock/responding';
import { ensureClosed, type PullRequestInfo, type ScmRepository } from '@interlock/scm';
import { removeBranch } from '../attempt/attempt.js';
import { findRequest, seenOf } from '../attempt/find.js';
import { describeError, maxNote } from '../text.js';
import type { ResponseOutcome, SeenRequest } from './observed.js';
import type { Responder } from './responder.js';
import { cancelledText, missingReason } from './status.js';
import { searchAgainMs } from './uncertain.js';

/** Reads the pull request of a response. */
export async function readRequest(
  { repositories }: Responder,
  response: EventResponse,
  { signal, log }: ReconcileContext,
): Promise<ResponseOutcome> {
  const { route, changeRequest: { number = 0 } = {} } = response.status ?? {};
  try {
    const repository = await opened(repositories, route, signal);
    const pull = await existing(repository, response, signal);
    return pull === undefined ? { type: 'missing' } : { type: 'read', request: seenOf(pull) };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ error: messageOf(error), pullRequest: number }, 'the pull request cannot be read');
    return { type: 'notRead', error };
  }
}

/**
 * Returns the pull request of a response; undefined if it is deleted. A server also reports a pull request as missing to a client
 * that may not see it, but such a client cannot list those of the repository either.
 */
async function existing(
  repository: ScmRepository,
  response: EventResponse,
  signal: AbortSignal,
): Promise<PullRequestInfo | undefined> {
  const { number = 0, branch = '' } = response.status?.changeRequest ?? {};
  try {
    return await repository.getPullRequest(number, { signal });
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
    return findRequest(repository, response, branch, signal);
  }
}

/** Closes the pull request of a cancelled response, with a comment that states the reason, and removes its branch. */
export async function closeRequest(
  { repositories }: Responder,
  response: EventResponse,
  { signal, log }: ReconcileContext,
): Promise<ResponseOutcome> {
  const { route, changeRequest = {} } = response.status ?? {};
  const { number = 0, branch = '' } = changeRequest;
  const refused: string[] = [];
  /* A permanent refusal, such as that of a comment on a locked pull request, does not prevent the remaining steps. */
  const ifAllowed = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (signal.aborted || isTyped(error, 'Transient', 'RateLimited')) throw error;
      refused.push(`pull request ${number} cannot be ${what}: ${describeError(error, maxNote)}`);
    }
  };
  try {
    const repository = await opened(repositories, route, signal);
    const found = await existing(repository, response, signal);
    if (found === undefined) checkMissing(response);
    if (found?.state === 'open')
      await ifAllowed('commented on', () => explain(repository, response, found.id, { signal }));
    const request: SeenRequest =
      found === undefined
        ? { ...changeRequest, state: 'closed' }
        : seenOf(await ensureClosed(repository, found.id, { signal }));
    if (request.state === 'closed')
      await ifAllowed('without its branch', () => removeBranch({ repository, response, branch, signal }));
    return { type: 'closed', request, refused };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ error: messageOf(error), pullRequest: number }, 'the pull request cannot be closed');
    return { type: 'notClosed', error };
  }
}

/**
 * Throws unless a pull request was missing before: nothing searches for it after the end of the cancellation, and the first answer of
 * the server may be older than the pull request.
 */
function checkMissing({ status }: EventResponse): void {
  if (status?.error?.reason === missingReason) return;
  const name = `pull request ${status?.changeRequest?.number ?? ''}`;
  throw new TypedError('Transient', `${name} does not exist any more; it is searched for again`, {
    reason: missingReason,
    retryAfterMs: searchAgainMs,
  });
}

async function opened(
  repositories: Responder['repositories'],
  route: NonNullable<EventResponse['status']>['route'],
  signal: AbortSignal,
): Promise<ScmRepository> {
  if (route !== undefined) return repositories.reopen(route, signal);
  throw new TypedError('Invalid', 'status.route is missing, so the repository is unknown', {
    reason: 'NotRouted',
  });
}

/** Adds a comment that states why the pull request is closed. */
async function explain(
  repository: ScmRepository,
  response: EventResponse,
  number: number,
  options: { signal: AbortSignal },
): Promise<void> {
  const { cancelReason = cancelledText } = response.status ?? {};
  const marker = `<!-- interlock-cancelled: ${uidOf(response)} -->`;
  const text = renderMarkdown('Closed because the response was cancelled: {{ . }}', cancelReason);
  await repository.ensureComment?.(number, { marker, body: `${text}\n\n${marker}\n` }, options);
}
