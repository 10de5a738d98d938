import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { randomInt } from 'node:crypto';
import { loopback } from './arguments.js';

/* Below those that systems give to outgoing connections (from 32,768 on Linux, from 49,152 elsewhere). */
const range = [12_000, 20_000] as const;
const maxTries = 1000;

/**
 * Returns ports of the loopback interface, all different, on which no process listens.
 * @throws Error when there are not enough of them.
 */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  try {
    for (let tries = 0; held.size < count; tries += 1) {
      if (tries === maxTries)
        throw new Error(`No ${count} free ports in ${range[0]} to ${range[1]} of ${loopback}.`);
      const port = randomInt(...range);
      const server = await listen(port);
      if (server) held.set(port, server);
    }
    return [...held.keys()];
  } finally {
    await Promise.all([...held.values()].map((server) => once(server.close(), 'close')));
  }
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, loopback);
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}
