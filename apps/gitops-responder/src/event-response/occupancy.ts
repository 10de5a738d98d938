import { keyOf, type EventResponse, type EventResponseStatus, type ObjectKey } from '@interlock/api';
import type { Cache } from '@interlock/kube';
import type { RecordedRoute } from '../config/recorded-route.js';

/** A response whose last status is not written, or not in the cache yet. */
interface Taken {
  key: ObjectKey;
  route: string;
  /** Of the response with that status. */
  version?: string | undefined;
}

/** EventResponses by the route of which they have an open pull request. */
const routeIndex = 'occupied route';

/** How many pull requests each route has open, those that are about to be opened included. */
export class Occupancy {
  readonly #taken = new Map<string, Taken>();

  /** Call it before the cache starts. */
  constructor(
    private readonly responses: Pick<Cache<EventResponse>, 'addIndex' | 'byIndex' | 'get' | 'progress'>,
  ) {
    responses.addIndex(routeIndex, ({ status = {} }) =>
      status.route !== undefined && occupies(status) ? [keyOfRoute(status.route)] : [],
    );
  }

  /** Notes, before an attempt is written down, that a response takes a place. */
  take(response: EventResponse, route: RecordedRoute): void {
    this.#forget();
    this.#taken.set(uidOf(response), { key: keyOf(response), route: keyOfRoute(route) });
  }

  /** @param response as it was written last: from now on its status tells whether it still has the place. */
  release(response: EventResponse): void {
    const taken = this.#taken.get(uidOf(response));
    if (taken !== undefined) taken.version = response.metadata.resourceVersion ?? '';
  }

  /** @returns the places of a route that others than `response` have. */
  others(response: EventResponse, route: RecordedRoute): number {
    this.#forget();
    const key = keyOfRoute(route);
    const occupants = new Set<string>();
    for (const other of this.responses.byIndex(routeIndex, key)) {
      if (!this.#taken.has(uidOf(other))) occupants.add(uidOf(other));
    }
    for (const [uid, taken] of this.#taken) if (taken.route === key) occupants.add(uid);
    occupants.delete(uidOf(response));
    return occupants.size;
  }

  /** Drops what the cache tells by now. */
  #forget(): void {
    for (const [uid, { key, version }] of this.#taken) {
      if (version === undefined) continue;
      const current = this.responses.get(key);
      const isGone = current === undefined || uidOf(current) !== uid;
      if (isGone || this.responses.progress.hasSeen(key, version)) this.#taken.delete(uid);
    }
  }
}

function uidOf({ metadata }: EventResponse): string {
  return metadata.uid ?? '';
}

function keyOfRoute({ config, provider, host, repository, baseBranch, matchDigest }: RecordedRoute): string {
  return JSON.stringify([config, provider, host, repository, baseBranch, matchDigest]);
}

function occupies({ phase, changeRequest }: EventResponseStatus): boolean {
  if (changeRequest?.state !== undefined)
    return changeRequest.state === 'open' && changeRequest.number !== undefined;
  return phase === 'Running' && changeRequest?.branch !== undefined;
}
