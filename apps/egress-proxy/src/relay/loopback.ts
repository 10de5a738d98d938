import { Attempt } from './attempt.js';
import type { Connection } from './connection.js';
import type { Listening, RelayEngine } from './engine.js';

const host = '127.0.0.1';

/** The connections of a tunnel on this machine, and those at their other ends. Nobody reads any of them. */
interface LoopbackEnds<O extends Connection> {
  /** Of a client, which was accepted. */
  readonly client: Connection;
  /** To a target, which was dialled. */
  readonly target: Connection;
  readonly outerClient: O;
  readonly outerTarget: O;
}

/**
 * Opens the connections of a tunnel as the proxy does, the one accepted and the other one dialled.
 *
 * @param inner makes those of the tunnel
 * @param outer makes those of the client and of the target
 */
export async function connectEnds<O extends Connection>(
  inner: RelayEngine,
  outer: RelayEngine<O>,
): Promise<LoopbackEnds<O>> {
  const proxy = await acceptOne(inner);
  const server = await acceptOne(outer);
  try {
    const outerClient = outer.dial(host, proxy.listening.port, new Attempt());
    const target = inner.dial(host, server.listening.port, new Attempt());
    return {
      client: await proxy.connection,
      target: await target,
      outerClient: await outerClient,
      outerTarget: await server.connection,
    };
  } finally {
    proxy.listening.stop();
    server.listening.stop();
  }
}

async function acceptOne<C extends Connection>(
  engine: RelayEngine<C>,
): Promise<{ listening: Listening; connection: Promise<C> }> {
  let onConnection: (connection: C) => void = () => undefined;
  const connection = new Promise<C>((resolve) => (onConnection = resolve));
  const address = { host, port: 0 };
  const listening = await engine.listen({ address, onConnection, onError: () => undefined });
  return { listening, connection };
}
