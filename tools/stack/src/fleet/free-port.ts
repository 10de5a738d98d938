import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/*
 * Below the ports of outgoing connections (from 32,768 on Linux, from 49,152 elsewhere). Otherwise a connection could
 * take the port of an app while the app restarts.
 */
const first = 20_000;
const count = 10_000;
/* Concurrent processes start the search at different ports. */
let next = randomInt(count);

/**
 * Returns a port on which no process listens at 127.0.0.1 or ::1, so that `localhost` refers to the future owner of the
 * port at both addresses. Returns a different port for each call. @throws Error when all ports are in use
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count; tries += 1) {
    const port = first + (next++ % count);
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) return port;
  }
  throw new Error(`the ports ${first} to ${first + count - 1} of 127.0.0.1 are all in use`);
}

/* On a machine without IPv6, no process listens there. */
const missingAddress = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(missingAddress.has(code)));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
