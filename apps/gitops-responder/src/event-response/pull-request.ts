import { isTyped, messageOf, TypedError, type EventResponse, type EventResponseStatus } from '@interlock/api';
import type { ReconcileContext, ReconcileResult } from '@interlock/kube';
import { renderMarkdown, uidOf } from '@interlock/responding';
import { ensureClosed, type ScmRepository } from '@interlock/scm';
import { removeBranch } from '../attempt/attempt.js';
import { seenOf } from '../attempt/find.js';
import { toldOf } from '../text.js';
import type { Responder } from './responder.js';
import { closed, follow, notClosed, notFollowed } from './settle.js';
import { cancelledText } from './status.js';

/** How much the looks at pull requests are spread, so that they do not come all at once after a start. */
const spread = 0.1;
const maxNote = 512;

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
    log.warn({ error: messageOf(error), pullRequest: number }, 'the pull request cannot be read');
    await writer.change(response, (live) => notFollowed(live, error, manager.clock.now()), signal);
  }
  return { requeueAfterMs: Math.round(everyMs * (1 + random() * spread)) };
}

/** Closes the pull request of a cancelled response, with a comment that says why, and removes its branch. */
export async function closeRequest(
  { repositories, writer, manager, random, events }: Responder,
  response: EventResponse,
  { signal, log }: ReconcileContext,
): Promise<ReconcileResult | undefined> {
  const { route, changeRequest: { number = 0, branch = '' } = {} } = response.status ?? {};
  /* What the SCM refuses for good, such as a comment where comments are locked, does not keep the rest from being done. */
  const ifAllowed = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (signal.aborted || isTyped(error, 'Transient', 'RateLimited')) throw error;
      const note = `pull request ${number} cannot be ${what}: ${toldOf(error, maxNote)}`;
      events.record(response, { type: 'Warning', reason: 'NotCleanedUp', action: 'Respond', note });
    }
  };
  try {
    const repository = await opened(repositories, route, signal);
    const { state } = await repository.getPullRequest(number, { signal });
    if (state === 'open') await ifAllowed('commented on', () => explain(repository, response, { signal }));
    const pull = await ensureClosed(repository, number, { signal });
    if (pull.state === 'closed')
      await ifAllowed('without its branch', () => removeBranch({ repository, response, branch, signal }));
    await writer.change(response, (live) => closed(live, seenOf(pull), manager.clock.now()), signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ error: messageOf(error), pullRequest: number }, 'the pull request cannot be closed');
    let requeueAfterMs = 0;
    const next = (live: EventResponse): EventResponseStatus => {
      const settled = notClosed(live, error, manager.clock.now(), random());
      ({ requeueAfterMs } = settled);
      return settled.status;
    };
    await writer.change(response, next, signal);
    return { requeueAfterMs };
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

/** Says in a comment why the pull request is closed. */
async function explain(
  repository: ScmRepository,
  response: EventResponse,
  options: { signal: AbortSignal },
): Promise<void> {
  const { cancelReason = cancelledText, changeRequest: { number = 0 } = {} } = response.status ?? {};
  const marker = `<!-- interlock-cancelled: ${uidOf(response)} -->`;
  const text = renderMarkdown('Closed, as the response was cancelled: {{ . }}', cancelReason);
  await repository.ensureComment?.(number, { marker, body: `${text}\n\n${marker}\n` }, options);
}
