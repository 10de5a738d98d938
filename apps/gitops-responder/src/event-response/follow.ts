import { conditions, type EventResponse, type EventResponseStatus } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import { isRejected } from './claim.js';
import type { SeenRequest } from './observed.js';
import { failureOf } from './retry.js';
import { closed, rejected, seen } from './settle.js';
import { missingReason, StatusBuilder } from './status.js';

/** How long a pull request has to be missing before it counts as deleted. */
const deletedAfterMs = 60 * 60_000;
/** How long a pull request stays missing after a read that failed. */
const unconfirmedAfterMs = 60_000;

/**
 * Returns the status after its pull request was read. Pure.
 * @param response a response that was not cancelled when its pull request was read; it may be cancelled now.
 */
export function follow(response: EventResponse, request: SeenRequest, now: number): EventResponseStatus {
  const builder = new StatusBuilder(response, now).without('followed');
  if (response.status?.phase !== 'Cancelled') return seen(builder, request).build();
  return request.state === 'open' ? builder.request(request).build() : closed(response, request, now);
}

/** Returns the status of a response whose pull request cannot be read. Known fields are kept. Pure. */
export function notFollowed(response: EventResponse, cause: unknown, now: number): EventResponseStatus {
  const { conditions: known } = response.status ?? {};
  const builder = new StatusBuilder(response, now);
  /*
   * Every write triggers another read: the first reason stays until a read succeeds. Only PullRequestMissing is replaced, because
   * the time for which it was not confirmed does not count, but not at once: the next read may find it missing again.
   */
  const followed = getCondition(known, conditions.followed);
  const isMissing = followed?.reason === missingReason;
  const ageMs = now - Date.parse(followed?.lastTransitionTime ?? '');
  if (followed !== undefined && !(isMissing && ageMs >= unconfirmedAfterMs)) return response.status ?? {};
  const { error } = failureOf(cause);
  const { number = 0 } = response.status?.changeRequest ?? {};
  const message = `pull request ${number} cannot be read: ${error.detail ?? ''}`;
  return builder.condition('followed', 'False', error.reason ?? error.type, message).build();
}

/**
 * Returns the status of a response whose pull request the repository does not have any more. It counts as closed by a user when
 * it has been missing for an hour, because an answer of the server may be outdated, above all after an outage. Pure.
 */
export function missing(response: EventResponse, now: number): EventResponseStatus {
  const { status = {} } = response;
  if (status.phase === 'Cancelled' || isRejected(response)) return status;
  const { conditions: known, changeRequest = {} } = status;
  const builder = new StatusBuilder(response, now);
  const followed = getCondition(known, conditions.followed);
  const name = changeRequest.url ?? `pull request ${changeRequest.number ?? ''}`;
  if (followed?.reason === missingReason) {
    if (now - Date.parse(followed.lastTransitionTime) < deletedAfterMs) return status;
    builder.without('followed').request({ ...changeRequest, state: 'closed' });
    return rejected(builder, 'PullRequestDeleted', `${name} does not exist any more`).build();
  }
  const message = `${name} does not exist any more; the response fails unless the pull request can be read within an hour`;
  /* The time for which it could not be read for another reason does not count. */
  builder.without('followed');
  return builder.condition('followed', 'False', missingReason, message).build();
}
