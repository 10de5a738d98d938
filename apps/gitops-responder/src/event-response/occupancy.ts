import { keyOf, type EventResponse, type EventResponseStatus } from '@interlock/api';
import type { Cache } from '@interlock/kube';

type RecordedRoute = NonNullable<EventResponseStatus['route']>;

/** How many pull requests each route has open, those that are about to be opened included. */
export class Occupancy {
  /** Responses whose last status is not in the cache yet, or not written. */
  readonly #taken = new Map<string, { route: string; version?: string }>();

  constructor(private readonly responses: Cache<EventResponse>) {}

  /** Notes, before an attempt is written down, that a response takes a place. */
  take({ metadata: { uid = '' } }: EventResponse, route: RecordedRoute | undefined): void {
    if (route !== undefined) this.#taken.set(uid, { route: keyOfRoute(route) });
  }

  /** The status that is written tells whether it still does. */
  release({ metadata: { uid = '', resourceVersion } }: EventResponse): void {
    const taken = this.#taken.get(uid);
    if (taken === undefined) return;
    if (resourceVersion === undefined) this.#taken.delete(uid);
    else taken.version = resourceVersion;
  }

  /** @returns the places of a route that others than `response` have. */
  others(response: EventResponse, route: RecordedRoute): number {
    const { uid } = response.metadata;
    const key = keyOfRoute(route);
    const occupants = new Set<string>();
    for (const other of this.responses.list()) {
      const { uid: own = '' } = other.metadata;
      const taken = this.#takenBy(other);
      const recorded = other.status?.route;
      const isOpen = recorded !== undefined && keyOfRoute(recorded) === key && occupies(other.status ?? {});
      if (own !== uid && (taken === key || (taken === undefined && isOpen))) occupants.add(own);
    }
    return occupants.size;
  }

  #takenBy(other: EventResponse): string | undefined {
    const { uid = '' } = other.metadata;
    const taken = this.#taken.get(uid);
    if (taken?.version !== undefined && this.responses.progress.hasSeen(keyOf(other), taken.version)) {
      this.#taken.delete(uid);
      return undefined;
    }
    return taken?.route;
  }
}

function keyOfRoute({ config, provider, repository, index }: RecordedRoute): string {
  return JSON.stringify([config, provider, repository, index]);
}

function occupies({ phase, changeRequest }: EventResponseStatus): boolean {
  if (changeRequest?.state !== undefined)
    return changeRequest.state === 'open' && changeRequest.number !== undefined;
  return phase === 'Running' && changeRequest?.branch !== undefined;
}
