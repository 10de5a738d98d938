import type { RemoteAccess } from '../process/environment.js';
import { FairLimit } from '../process/fair-limit.js';
import { isHopeless, missesAfter, type Miss } from './direct.js';
import { DirectRequests, type DirectOptions, type Offer } from './direct-requests.js';
import type { PackQuestion } from './fetch-objects.js';

/** Bounds of what is in memory at a time; what is beyond them is left to git. */
const bounds = { packBytes: 1024 * 1024, requests: 16, requestsOfOwner: 4 };

/** Returns the turns that the requests of all remotes take. */
export function packTurns(): FairLimit {
  return new FairLimit(bounds.requests, bounds.requestsOfOwner);
}

/** Asks one remote for what is new in it, without a process; the caller asks git when there is no answer. */
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

  /** Records whether git has accepted a pack: without the blobs it cannot check `.gitmodules` by itself, for one. */
  record(isAccepted: boolean): void {
    this.#refused = missesAfter(this.#refused, isAccepted ? undefined : 'now');
  }

  /**
   * Returns the pack as it was sent, or in what way the remote has not answered as it should.
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
