import { readBlobs } from '../objects/pack.js';
import type { RemoteAccess } from '../process/environment.js';
import { FairLimit } from '../process/fair-limit.js';
import type { Miss } from './direct.js';
import { DirectRequests, type DirectOptions, type Offer } from './direct-requests.js';

/** Bounds of what is in memory at a time; what is beyond them is left to git. */
const bounds = {
  /** Blobs of one request. */
  blobs: 64,
  /** Of an answer. */
  packBytes: 512 * 1024,
  /** Of what is in it, inflated. */
  contentBytes: 2 * 1024 * 1024,
  requests: 16,
  requestsOfOwner: 4,
};

export interface BlobQuestion {
  ids: ReadonlySet<string>;
  /** Whose turn it takes. */
  owner: string;
}

/** Returns the turns that the requests of all remotes take. */
export function blobTurns(): FairLimit {
  return new FairLimit(bounds.requests, bounds.requestsOfOwner);
}

/** Asks one remote for small blobs, without a process; the caller asks git when there is no answer. */
export class DirectBlobs extends DirectRequests {
  readonly #client: DirectOptions['client'];

  readonly #turns: FairLimit;

  constructor(offer: Offer, options: DirectOptions, turns: FairLimit) {
    super('fetch', true, offer, options);
    this.#turns = turns;

    this.#client = options.client;
  }

  /**
   * Returns the blobs by id; in what way the remote has not answered as it should, such as with an object that is not a
   * blob, or too large; or undefined when there are too many to ask for.
   * @throws as {@link DirectRequests.ask}.
   */
  async fetch(
    remote: RemoteAccess,
    { ids, owner }: BlobQuestion,
    signal?: AbortSignal,
  ): Promise<Map<string, Buffer> | Miss | undefined> {
    if (ids.size > bounds.blobs) return undefined;
    const ask = () =>
      this.ask(
        remote,
        async (offer, stop) =>
          readBlobs(
            await this.#client.pack(remote, offer, { ids }, bounds.packBytes, stop),
            ids,
            bounds.contentBytes,
          ),
        signal,
      );
    return this.#turns.run(owner, ask, signal);
  }
}
