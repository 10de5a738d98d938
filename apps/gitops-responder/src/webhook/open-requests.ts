import type { EventResponse, ResponseProvider } from '@interlock/api';
import type { Cache } from '@interlock/kube';
import { addressOf } from '../config/repositories.js';
import { isClaimed, isOpen, isRejected } from '../event-response/claim.js';

const requestIndex = 'open pull request';

/** The responses of this responder by their pull request, while it is open, or was closed and may be opened again. */
export class OpenRequests {
  readonly #responses: Pick<Cache<EventResponse>, 'addIndex' | 'byIndex'>;

  /** Adds an index to the responses. Call it before the cache starts. */
  constructor(responses: Pick<Cache<EventResponse>, 'addIndex' | 'byIndex'>, responderName: string) {
    this.#responses = responses;

    responses.addIndex(requestIndex, (response) => {
      const { route, changeRequest } = response.status ?? {};
      if (route === undefined || changeRequest?.number === undefined) return [];
      if (!isOpen(response) && !isRejected(response)) return [];
      if (!isClaimed(response, responderName)) return [];
      return [keyOfRequest(addressOf(route.provider, route), changeRequest.number)];
    });
  }

  /** Returns the responses whose pull request has this number at the repository of a provider. */
  find(provider: ResponseProvider, number: number): EventResponse[] {
    return this.#responses.byIndex(requestIndex, keyOfRequest(addressOf(provider.kind, provider), number));
  }
}

function keyOfRequest(address: string, number: number): string {
  return `${address} ${number}`;
}
