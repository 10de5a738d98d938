import { TLSSocket } from 'node:tls';
import { waitFor } from '@interlock/base';
import { ignore, ignoreAll, type Connection } from '../relay/connection.js';
import type { RelayEngine } from '../relay/engine.js';
import { connectEnds } from '../relay/loopback.js';

/** A record whose handshake message has no known type (RFC 8446, 5.1 and B.3). A server answers with an alert. */
const record = Buffer.from([0x16, 0x03, 0x01, 0x00, 0x04, 0xff, 0x00, 0x00, 0x00]);
const alertRecord = 0x15;

/**
 * Tests whether TLS can take over a connection whose first byte was read: a server has to receive the rest, and answer.
 *
 * @throws an Error that describes the failure; the signal's reason when it aborts
 */
export async function testHandOver(engine: RelayEngine, signal: AbortSignal): Promise<void> {
  const { client, target, outerClient, outerTarget } = await waitFor(connectEnds(engine, engine), signal);
  let server: TLSSocket | undefined;
  try {
    const first = readFirst(
      client,
      (bytes) => new TLSSocket(engine.handOver(client, bytes).socket, { isServer: true }),
    );
    outerClient.write(record.subarray(0, 1));
    server = await waitFor(first, signal);
    server.on('error', ignore);
    outerClient.write(record.subarray(1));
    const answer = await waitFor(
      readFirst(outerClient, ([byte]) => byte),
      signal,
    );
    if (answer !== alertRecord) throw new Error('TLS over a connection does not answer');
  } finally {
    server?.destroy();
    for (const connection of [client, target, outerClient, outerTarget]) connection.close();
  }
}

/** Reads a connection, and returns what `take` makes of the first bytes. Rejects when it throws, or the connection ends first. */
function readFirst<T>(connection: Connection, take: (bytes: Buffer) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error('a connection ended without a byte'));
    connection.handler = {
      ...ignoreAll,
      /* An error that is thrown here would end the process. */
      onData: (bytes) => resolve(new Promise((done) => done(take(bytes)))),
      onEnd: fail,
      onClosed: fail,
    };
    connection.resume();
  });
}
