import type { RemoteAccess } from '../process/environment.js';
import { FairLimit } from '../process/fair-limit.js';
import { isHopeless, missesAfter, type Miss } from './direct.js';
import { DirectRequests, type DirectOptions, type Offer } from './direct-requests.js';
import type { PackQuestion } from './fetch-objects.js';

/** Bounds of the data in memory; larger requests are left to git. */
const bounds = { packBytes: 1024 * 1024, requests: 16, requestsOfOwner: 4 };

/** Returns the shared queue for the requests to all remotes. */
export function packTurns(): FairLimit {
  return new FairLimit(bounds.requests, bounds.requestsOfOwner);
}

/** Fetches new objects from one remote without a process; the caller uses git if that fails. */
export class DirectPacks extends DirectRequests {
  readonly #client: DirectOptions['client'];
  #refused = 0;

  readonly #turns: FairLimit;

  constructor(offer: Offer, options: DirectOptions, turns: FairLimit) {
    super('fetch', true, offer, options);
    this.#turns = turns;

    this.#client = options.client;
  }

  override get isHopeless(): boolean {
    return super.isHopeless || isHopeless(this.#refused);
  }

  /** Records whether git has accepted a pack: for example, it cannot check `.gitmodules` without the blobs. */
  record(isAccepted: boolean): void {
    this.#refused = missesAfter(this.#refused, isAccepted ? undefined : 'now');
  }

  /**
   * Returns the pack as it was sent, or a miss if the response is unusable.
   * @throws as {@link DirectRequests.ask}.
   */
  fetch(
    remote: RemoteAccess,
    owner: string,
    question: PackQuestion,
    signal?: AbortSignal,
  ): Promise<Buffer | Miss> {
    const ask = () =>
      this.ask(
        remote,
        (offer, stop) => this.#client.pack(remote, offer, question, bounds.packBytes, stop),
        signal,
      );
    return this.#turns.run(owner, ask, signal);
  }
}
