import type { RemoteAccess } from '../process/environment.js';
import type { Miss } from './direct.js';
import { DirectRequests, type DirectOptions, type Offer } from './direct-requests.js';

/** Reads the references of one remote without a process; the caller uses git if that fails. */
export class DirectRefs extends DirectRequests {
  readonly #client: DirectOptions['client'];

  constructor(offer: Offer, options: DirectOptions) {
    super('ls-remote', false, offer, options);
    this.#client = options.client;
  }

  /**
   * Returns the object ids of the `names` that the remote has, or a miss if the response is unusable.
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
