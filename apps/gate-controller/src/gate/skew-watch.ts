import { type Clock, delay } from '@interlock/base';
import { type Client, type Runnable } from '@interlock/kube';
import { isSkewed } from './skew.js';

const intervalMs = 30_000;
const callTimeoutMs = 10_000;

/** Requests the time of the API server at intervals, because an idle controller would not send it other requests. */
export class SkewWatch implements Runnable {
  readonly name = 'clock skew';

  readonly #client: Pick<Client, 'raw'>;
  readonly #clock: Clock;
  readonly #skewMs: () => number | undefined;
  readonly #changed: () => void;

  /**
   * @param skewMs is updated by every answer of `client`
   * @param changed is called when the clock becomes wrong, or right again
   */
  constructor(
    client: Pick<Client, 'raw'>,
    clock: Clock,
    skewMs: () => number | undefined,
    changed: () => void,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#skewMs = skewMs;
    this.#changed = changed;
  }

  async run(signal: AbortSignal): Promise<void> {
    let skewed = isSkewed(this.#skewMs());
    while (!signal.aborted) {
      /* An API server that does not answer gives no time; other requests report its absence. */
      await this.#client
        .raw({ method: 'GET', path: '/version' }, { signal, timeoutMs: callTimeoutMs })
        .catch(() => undefined);
      const now = isSkewed(this.#skewMs());
      if (now !== skewed && !signal.aborted) this.#changed();
      skewed = now;
      await delay(this.#clock, intervalMs, signal);
    }
  }
}
