import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/* Below those that systems give to connections which go out (from 32,768 at Linux, 49,152 elsewhere): else one of them may
   take the port of an app that is down for a moment. */
const first = 20_000;
const count = 10_000;
/* Two processes that look for ports at the same time begin at different ones. */
let next = randomInt(count);

/**
 * @returns a port of the loopback interface that nobody listens on; another one with each call.
 * @throws Error when all are taken.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < count; tries += 1) {
    const port = first + (next++ % count);
    if (await isFree(port)) return port;
  }
  throw new Error(`the ports ${first} to ${first + count - 1} of 127.0.0.1 are all taken`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
