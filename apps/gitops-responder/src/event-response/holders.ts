import { keyOf, type EventResponse, type EventResponseStatus, type ObjectKey } from '@interlock/api';
import type { Cache } from '@interlock/kube';

/** A response whose last status is not written yet, or not in the cache. */
interface Taken {
  key: ObjectKey;
  place: string;
  /** The resource version of the response with that status. */
  version?: string | undefined;
}

export type ResponseIndex = Pick<Cache<EventResponse>, 'addIndex' | 'byIndex' | 'get' | 'progress'>;

/** The responses that hold a place, by their statuses and by pending writes of statuses. */
export class Holders {
  readonly #taken = new Map<string, Taken>();

  readonly #responses: ResponseIndex;
  readonly #index: string;

  /** Creates the index; call it before the cache starts. @param placeOf the place that a status shows; undefined for none. */
  constructor(
    responses: ResponseIndex,
    index: string,
    placeOf: (status: EventResponseStatus) => string | undefined,
  ) {
    this.#responses = responses;
    this.#index = index;

    responses.addIndex(index, ({ status = {} }) => {
      const place = placeOf(status);
      return place === undefined ? [] : [place];
    });
  }

  /** Records, before the status is written, that a response takes a place. */
  take(response: EventResponse, place: string): void {
    this.#forget();
    this.#taken.set(uidOf(response), { key: keyOf(response), place });
  }

  /** @param response as it was last written: from now on its status shows whether it still has the place. */
  release(response: EventResponse): void {
    const taken = this.#taken.get(uidOf(response));
    if (taken !== undefined) taken.version = response.metadata.resourceVersion ?? '';
  }

  /** Returns the names of the responses other than `response` that hold a place. */
  others(response: EventResponse, place: string): string[] {
    this.#forget();
    const names = new Map<string, string>();
    for (const other of this.#responses.byIndex(this.#index, place)) {
      if (!this.#taken.has(uidOf(other))) names.set(uidOf(other), other.metadata.name);
    }
    for (const [uid, taken] of this.#taken) if (taken.place === place) names.set(uid, taken.key.name);
    names.delete(uidOf(response));
    return [...names.values()].sort();
  }

  /** Drops the entries that the cache shows by now. */
  #forget(): void {
    for (const [uid, { key, version }] of this.#taken) {
      if (version === undefined) continue;
      const current = this.#responses.get(key);
      const isGone = current === undefined || uidOf(current) !== uid;
      if (isGone || this.#responses.progress.hasSeen(key, version)) this.#taken.delete(uid);
    }
  }
}

/** Returns whether a response has an open pull request, or is about to open one. */
export function isProposing({ phase, changeRequest }: EventResponseStatus): boolean {
  if (changeRequest?.state !== undefined)
    return changeRequest.state === 'open' && changeRequest.number !== undefined;
  return phase === 'Running' && changeRequest?.branch !== undefined;
}

function uidOf({ metadata }: EventResponse): string {
  return metadata.uid ?? '';
}
