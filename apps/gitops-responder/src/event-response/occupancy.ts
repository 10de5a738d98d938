import type { EventResponse } from '@interlock/api';
import type { RecordedRoute } from '../config/recorded-route.js';
import { Holders, isProposing, type ResponseIndex } from './holders.js';

/** How many pull requests each route has open, those that are about to be opened included. */
export class Occupancy {
  readonly #holders: Holders;

  /** Call it before the cache starts. */
  constructor(responses: ResponseIndex) {
    this.#holders = new Holders(responses, 'occupied route', (status) =>
      status.route !== undefined && isProposing(status) ? placeOf(status.route) : undefined,
    );
  }

  /**
   * Notes, before an attempt is written down, that a response takes a place, unless others have all that there are: they may
   * have taken them since it was observed.
   *
   * @param places of the route
   * @returns whether there was one
   */
  tryTake(response: EventResponse, route: RecordedRoute, places: number): boolean {
    if (this.others(response, route) >= places) return false;
    this.take(response, route);
    return true;
  }

  /** Notes, before an attempt is written down, that a response takes a place. */
  take(response: EventResponse, route: RecordedRoute): void {
    this.#holders.take(response, placeOf(route));
  }

  /** @param response as it was written last: from now on its status shows whether it still has the place. */
  release(response: EventResponse): void {
    this.#holders.release(response);
  }

  /** Returns the places of a route that others than `response` have. */
  others(response: EventResponse, route: RecordedRoute): number {
    return this.#holders.others(response, placeOf(route)).length;
  }
}

function placeOf({ config, provider, host, repository, baseBranch, matchDigest }: RecordedRoute): string {
  return JSON.stringify([config, provider, host, repository, baseBranch, matchDigest]);
}
