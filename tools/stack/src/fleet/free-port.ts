import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/* Below those that systems give to connections which go out (from 32,768 at Linux, 49,152 elsewhere): else one of them may
   take the port of an app that is down for a moment. */
const first = 20_000;
const count = 10_000;
/* Two processes that look for ports at the same time begin at different ones. */
let next = randomInt(count);

/**
 * Returns a port on which nothing listens, whether at 127.0.0.1 or at ::1, so that `localhost` is this port's owner at
 * either; another one with each call.
 * @throws Error when all are taken.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count; tries += 1) {
    const port = first + (next++ % count);
    if ((await isFree(port, '127.0.0.1')) && (await isFree(port, '::1'))) return port;
  }
  throw new Error(`the ports ${first} to ${first + count - 1} of 127.0.0.1 are all taken`);
}

/* A machine without IPv6 has nothing that listens there. */
const missingAddress = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(missingAddress.has(code)));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
