import { messageOf } from '@interlock/api';
import type { Clock, Logger } from '@interlock/base';
import { EndpointSlice, type Client } from '@interlock/kube';

interface PortReaderOptions {
  client: Pick<Client, 'get'>;
  clock: Pick<Clock, 'monotonic'>;
  log: Pick<Logger, 'warn'>;
}

/** The API server maintains its own endpoints under this name. */
const endpoints = { name: 'kubernetes', namespace: 'default' };
/** The port of the Service `kubernetes`: some network plugins compare it with policies instead of that of the endpoint. */
const servicePort = 443;
/** The ports that are allowed for a new tenant while the endpoints are unknown. */
export const usualApiServerPorts: readonly number[] = [servicePort, 6443];

const refreshMs = 60 * 60_000;
const retryMs = 60_000;

/** Returns the ports at which clients reach the API server, in ascending order. Pure. */
export function portsOf(ports: EndpointSlice['ports'] = []): readonly number[] {
  const own = ports.flatMap(({ port, protocol = 'TCP' }) =>
    port === undefined || protocol !== 'TCP' ? [] : [port],
  );
  return own.length === 0 ? usualApiServerPorts : [...new Set([servicePort, ...own])].sort((a, b) => a - b);
}

/** Reads the ports of the API server from the endpoints of the Service `kubernetes`, at most once an hour for all tenants. */
export class ApiServerPorts {
  readonly #options: PortReaderOptions;
  #known: readonly number[] | undefined;
  #reading: Promise<void> | undefined;
  /* By the monotonic clock. */
  #nextAt = -Infinity;

  constructor(options: PortReaderOptions) {
    this.#options = options;
  }

  /** Returns the ports; those that were last known if they cannot be read, and undefined before the first answer. */
  async read(): Promise<readonly number[] | undefined> {
    if (this.#options.clock.monotonic() >= this.#nextAt)
      await (this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined)));
    return this.#known;
  }

  async #refresh(): Promise<void> {
    const { client, clock, log } = this.#options;
    try {
      this.#known = portsOf((await client.get(EndpointSlice, endpoints)).ports);
      this.#nextAt = clock.monotonic() + refreshMs;
    } catch (error) {
      log.warn(
        { error: messageOf(error), ports: this.#known },
        'the ports of the API server could not be read',
      );
      this.#nextAt = clock.monotonic() + retryMs;
    }
  }
}
