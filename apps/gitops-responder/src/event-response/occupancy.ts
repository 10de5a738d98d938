import type { EventResponse } from '@interlock/api';
import type { RecordedRoute } from '../config/recorded-route.js';
import { Holders, isProposing, type ResponseIndex } from './holders.js';

/** Counts the open pull requests of each route, including those that are about to be opened. */
export class Occupancy {
  readonly #holders: Holders;

  /** Adds an index to the responses. Call it before the cache starts. */
  constructor(responses: ResponseIndex) {
    this.#holders = new Holders(responses, 'occupied route', (status) =>
      status.route !== undefined && isProposing(status) ? placeOf(status.route) : undefined,
    );
  }

  /**
   * Records, before an attempt is written, that a response takes a place, unless all places are taken: other responses may have
   * taken them since the response was observed.
   *
   * @param places of the route
   * @returns whether a place was free
   */
  tryTake(response: EventResponse, route: RecordedRoute, places: number): boolean {
    if (this.others(response, route) >= places) return false;
    this.take(response, route);
    return true;
  }

  /** Records, before an attempt is written, that a response takes a place. */
  take(response: EventResponse, route: RecordedRoute): void {
    this.#holders.take(response, placeOf(route));
  }

  /** @param response as it was last written: from now on its status shows whether it still has the place. */
  release(response: EventResponse): void {
    this.#holders.release(response);
  }

  /** Returns the number of places of a route that other responses hold. */
  others(response: EventResponse, route: RecordedRoute): number {
    return this.#holders.others(response, placeOf(route)).length;
  }
}

function placeOf({ config, provider, host, repository, baseBranch, matchDigest }: RecordedRoute): string {
  return JSON.stringify([config, provider, host, repository, baseBranch, matchDigest]);
}
