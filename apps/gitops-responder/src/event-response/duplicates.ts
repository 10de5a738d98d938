import { conditions, timestampOf, type EventResponse } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import type { RecordedRoute } from '../config/recorded-route.js';
import { addressOf } from '../config/repositories.js';
import { Holders, isProposing, type ResponseIndex } from './holders.js';
import type { Hold } from './observed.js';

const rejectedIndex = 'rejected change';
/** How often the responder checks whether the other pull request is still open. */
const recheckMs = 60_000;

/** Responses that request the same change of the same branch; one of them is proposed at a time. */
export class Duplicates {
  readonly #holders: Holders;

  readonly #responses: ResponseIndex;

  /** Adds the indexes to the responses. Call it before the cache starts. */
  constructor(responses: ResponseIndex) {
    this.#responses = responses;

    this.#holders = new Holders(responses, 'proposed change', ({ route, plan, ...status }) =>
      route !== undefined && plan !== undefined && isProposing(status)
        ? changeOf(route, plan.digest)
        : undefined,
    );
    responses.addIndex(rejectedIndex, ({ status: { route, plan, stage } = {} }) =>
      stage === 'Rejected' && route !== undefined && plan !== undefined ? [changeOf(route, plan.digest)] : [],
    );
  }

  /**
   * Returns why a response does not propose its change now; undefined if it may. A response that has begun to propose it
   * continues, whatever the others do.
   *
   * @param coolDownMs how long a change is not proposed again after a user rejected it.
   */
  holdOf(
    response: EventResponse,
    route: RecordedRoute,
    digest: string,
    coolDownMs: number,
    now: number,
  ): Hold | undefined {
    const { status } = response;
    const change = changeOf(route, digest);
    if (status?.route !== undefined && isProposing(status) && status.plan?.digest === digest)
      return undefined;
    const [other] = this.#holders.others(response, change);
    if (other !== undefined) {
      const message = `EventResponse ${other} proposes the same change; this response waits until the other pull request is merged or closed`;
      return { reason: 'DuplicateOpen', message, requeueAfterMs: recheckMs };
    }
    const rejected = this.#responses
      .byIndex(rejectedIndex, change)
      .map((one) => ({ name: one.metadata.name, until: rejectedAt(one) + coolDownMs }))
      .filter(({ until }) => until > now)
      .sort((a, b) => b.until - a.until)[0];
    if (rejected === undefined) return undefined;
    const message = `the same change was rejected (EventResponse ${rejected.name}); it is not proposed again before ${timestampOf(rejected.until)}`;
    return { reason: 'CoolDown', message, requeueAfterMs: rejected.until - now };
  }

  /** Records, before the status is written, that a response proposes a change. */
  take(response: EventResponse, route: RecordedRoute, digest: string): void {
    this.#holders.take(response, changeOf(route, digest));
  }

  /** @param response as it was last written: from now on its status shows whether it still proposes the change. */
  release(response: EventResponse): void {
    this.#holders.release(response);
  }
}

/** Returns when a user closed the pull request of a response, in milliseconds since the epoch. */
function rejectedAt({ status }: EventResponse): number {
  const since = getCondition(status?.conditions, conditions.merged)?.lastTransitionTime;
  const at = Date.parse(since ?? status?.completedAt ?? '');
  return Number.isNaN(at) ? 0 : at;
}

function changeOf(route: RecordedRoute, digest: string): string {
  return `${addressOf(route.provider, route)} ${route.baseBranch} ${digest}`;
}
