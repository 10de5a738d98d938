import { Pool, type Dispatcher } from 'undici';

/** Errors after which undici connects again at once, for as long as the proxy behaves like this: even if no request waits any more. */
const repeatedCodes = ['UND_ERR_SOCKET', 'UND_ERR_INFO'];

/**
 * Returns the option `clientFactory` of undici's agents for proxies: connections to a proxy that does not open a tunnel end after
 * a time, and a proxy that closes a connection instead of opening a tunnel fails the request.
 *
 * @param timeoutMs limit for the answer of the proxy
 */
export function tunnelClients(timeoutMs: number): (proxy: URL, options: Pool.Options) => Dispatcher {
  return (proxy, options) => {
    const pool = new Pool(proxy, { ...options, headersTimeout: timeoutMs });
    const open = pool.connect.bind(pool) as (params: Dispatcher.ConnectOptions) => Promise<unknown>;
    const connect = (params: Dispatcher.ConnectOptions) =>
      open(params).catch((error: unknown) => {
        throw isRepeated(error)
          ? new Error('the proxy closed the connection without an answer', { cause: error })
          : error;
      });
    return Object.assign(pool, { connect });
  };
}

function isRepeated(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return repeatedCodes.some((repeated) => repeated === code);
}
