import type { RemoteAccess } from '../process/environment.js';
import type { Miss } from './direct.js';
import { DirectRequests, type DirectOptions, type Offer } from './direct-requests.js';

/** Asks one remote where its references are, without a process; the caller asks git when there is no answer. */
export class DirectRefs extends DirectRequests {
  readonly #client: DirectOptions['client'];

  constructor(offer: Offer, options: DirectOptions) {
    super('ls-remote', false, offer, options);
    this.#client = options.client;
  }

  /**
   * Returns object ids of those of `names` that the remote has, or in what way it has not answered as it should.
   * @throws as {@link DirectRequests.ask}.
   */
  list(
    remote: RemoteAccess,
    names: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<Map<string, string> | Miss> {
    return this.ask(remote, (offer, stop) => this.#client.refs(remote, offer, names, stop), signal);
  }
}
