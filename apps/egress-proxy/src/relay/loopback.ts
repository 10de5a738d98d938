import { Attempt } from './attempt.js';
import type { Connection } from './connection.js';
import type { Listening, RelayEngine } from './engine.js';

const host = '127.0.0.1';

/** The local connections of a tunnel, and the connections at their other ends. None of them is being read. */
interface LoopbackEnds<O extends Connection> {
  /** The accepted connection of a client. */
  readonly client: Connection;
  /** The connection that was dialled to a target. */
  readonly target: Connection;
  readonly outerClient: O;
  readonly outerTarget: O;
}

/**
 * Opens the connections of a tunnel as the proxy does: it accepts one and dials the other.
 *
 * @param inner creates the connections of the tunnel
 * @param outer creates the connections of the client and of the target
 */
export async function connectEnds<O extends Connection>(
  inner: RelayEngine,
  outer: RelayEngine<O>,
): Promise<LoopbackEnds<O>> {
  const proxy = await acceptOne(inner);
  const server = await acceptOne(outer);
  try {
    /* Together: nothing is accepted if an engine cannot connect, and its error must not be an unhandled one. */
    const [outerClient, target, client, outerTarget] = await Promise.all([
      outer.dial(host, proxy.listening.port, new Attempt()),
      inner.dial(host, server.listening.port, new Attempt()),
      proxy.connection,
      server.connection,
    ]);
    return { client, target, outerClient, outerTarget };
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
