import { messageOf, TypedError, type EventResponse } from '@interlock/api';
import type { ReconcileContext, ReconcileResult } from '@interlock/kube';
import { renderMarkdown, uidOf } from '@interlock/responding';
import { ensureClosed, type ScmRepository } from '@interlock/scm';
import { removeBranch } from '../attempt/attempt.js';
import { seenOf } from '../attempt/find.js';
import type { Responder } from './responder.js';
import { closed, follow } from './settle.js';
import { cancelledText, StatusBuilder } from './status.js';

/** How much the looks at pull requests are spread, so that they do not come all at once after a start. */
const spread = 0.1;

/** Looks at an open pull request, and writes down what became of it. */
export async function followRequest(
  { repositories, writer, manager, random }: Responder,
  response: EventResponse,
  everyMs: number,
  { signal, log }: ReconcileContext,
): Promise<ReconcileResult> {
  const { route, changeRequest: { number = 0 } = {} } = response.status ?? {};
  try {
    const repository = await opened(repositories, route, signal);
    const request = seenOf(await repository.getPullRequest(number, { signal }));
    await writer.change(response, (live) => follow(live, request, manager.clock.now()), signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ error: messageOf(error), pullRequest: number }, 'the pull request cannot be looked at');
  }
  return { requeueAfterMs: Math.round(everyMs * (1 + random() * spread)) };
}

/** Closes the pull request of a cancelled response, with a comment that says why, and removes its branch. */
export async function closeRequest(
  { repositories, writer, manager }: Responder,
  response: EventResponse,
  { signal }: ReconcileContext,
): Promise<void> {
  const {
    route,
    cancelReason = cancelledText,
    changeRequest: { number = 0, branch = '' } = {},
  } = response.status ?? {};
  try {
    const repository = await opened(repositories, route, signal);
    await comment(repository, number, uidOf(response), cancelReason, signal);
    const pull = await ensureClosed(repository, number, { signal });
    if (pull.state === 'closed') await removeBranch({ repository, response, branch, signal });
    await writer.change(response, (live) => closed(live, seenOf(pull), manager.clock.now()), signal);
  } catch (error) {
    signal.throwIfAborted();
    const detail = `pull request ${number} could not be closed: ${messageOf(error)}`;
    await writer.change(
      response,
      (live) =>
        new StatusBuilder(live, manager.clock.now())
          .set({ phase: 'Cancelled' })
          .reconciling('Closing', detail)
          .build(),
      signal,
    );
    throw error;
  }
}

async function opened(
  repositories: Responder['repositories'],
  route: NonNullable<EventResponse['status']>['route'],
  signal: AbortSignal,
): Promise<ScmRepository> {
  if (route !== undefined) return repositories.reopen(route, signal);
  throw new TypedError('Invalid', 'status.route is missing: the repository is not known', {
    reason: 'NotRouted',
  });
}

async function comment(
  repository: ScmRepository,
  number: number,
  uid: string,
  reason: string,
  signal: AbortSignal,
): Promise<void> {
  const marker = `<!-- interlock-cancelled: ${uid} -->`;
  const body = `${renderMarkdown('Closed, as the response was cancelled: {{ . }}', reason)}\n\n${marker}\n`;
  await repository.ensureComment?.(number, { marker, body }, { signal });
}
