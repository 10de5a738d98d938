import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { heldBytes } from '../held.js';
import { SocketConnection } from './socket-connection.js';
import { countGarbage } from './garbage.js';

/** A TLS connection of a client. The engine `handles` may serve the target of its tunnel. */
export class TlsConnection extends SocketConnection {
  /** @param raw the connection below TLS */
  constructor(socket: TLSSocket, raw: Socket) {
    super(socket, heldBytes, raw);
  }

  /**
   * Sends bytes. Node.js encrypts them before the write returns unless an earlier write is pending, so only then they are copied: the
   * caller reuses their memory.
   */
  override write(bytes: Buffer): boolean {
    if (this.socket.writableLength === 0) return super.write(bytes);
    countGarbage(bytes.length);
    return super.write(Buffer.from(bytes));
  }
}
