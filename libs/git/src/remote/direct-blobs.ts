import { readBlobs } from '../objects/pack.js';
import type { RemoteAccess } from '../process/environment.js';
import { FairLimit } from '../process/fair-limit.js';
import type { Miss } from './direct.js';
import { DirectRequests, type DirectOptions, type Offer } from './direct-requests.js';

/** Bounds of the data in memory; larger requests are left to git. */
const bounds = {
  /** Blobs of one request. */
  blobs: 64,
  /** Bytes of a response. */
  packBytes: 512 * 1024,
  /** Bytes of its inflated content. */
  contentBytes: 2 * 1024 * 1024,
  requests: 16,
  requestsOfOwner: 4,
};

interface BlobQuestion {
  ids: ReadonlySet<string>;
  /** The owner for fair scheduling. */
  owner: string;
}

/** Returns the shared queue for the requests to all remotes. */
export function blobTurns(): FairLimit {
  return new FairLimit(bounds.requests, bounds.requestsOfOwner);
}

/** Fetches small blobs from one remote without a process; the caller uses git if that fails. */
export class DirectBlobs extends DirectRequests {
  readonly #client: DirectOptions['client'];

  readonly #turns: FairLimit;

  constructor(offer: Offer, options: DirectOptions, turns: FairLimit) {
    super('fetch', true, offer, options);
    this.#turns = turns;

    this.#client = options.client;
  }

  /**
   * Returns the blobs by id; a miss if the response is unusable, for example because an object is not a blob or is
   * too large; undefined if too many blobs are requested.
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
