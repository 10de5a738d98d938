import type { Socket } from 'node:net';

/** How the bytes of a tunnel came to their end. */
export type RelayEnd = 'completed' | 'clientReset' | 'targetReset' | 'cut';

/** The two connections of a tunnel. Both are paused, and both keep their other half open when one is ended. */
export interface TunnelEnds {
  /** A connection by TCP, or by TLS where the relay takes those. */
  readonly client: Socket;
  readonly target: Socket;
  /** Written to the client before any byte of the target; not counted. */
  readonly greeting: string;
  /** What the client sent behind its request: the first bytes for the target. */
  readonly early: Buffer;
}

/** A tunnel whose bytes are under way. */
export interface RelayedTunnel {
  /** Bytes that were read from the client. */
  readonly bytesUp: number;
  /** Bytes that were read from the target. */
  readonly bytesDown: number;
  /** Bytes that were read and that the other side has not taken yet. */
  readonly buffered: number;
  /** Resets both connections. The end is reported before this returns. */
  cut(): void;
}

/**
 * Moves the bytes of tunnels. It promises: every byte that was read before an end of stream is delivered, in order;
 * the end of one direction leaves the other as it is; a reset of one side resets the other; a side that does not read stops the
 * other side from being read, with a bounded number of bytes in between.
 */
export interface Relay {
  readonly name: 'sockets';
  /**
   * Takes both connections over and joins them.
   *
   * @param onEnd called once, when both connections are over
   */
  start(ends: TunnelEnds, onEnd: (end: RelayEnd) => void): RelayedTunnel;
}

/** Ends a connection so that the other side sees that it was not completed: by a reset, or, with TLS, without its end of stream. */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

const nothing = Buffer.alloc(0);

/**
 * Calls back when the other side has ended its stream. libuv reports a reset that follows right behind data as an end of stream; an empty
 * write tells the two apart, after which the socket reports its error instead. It is not needed where bytes wait to be written, which
 * meet the error themselves, and is not possible once this side has ended its own stream.
 */
export function onStreamEnd(socket: Socket, onEnd: () => void): void {
  socket.on('end', () => {
    if ('encrypted' in socket || socket.writableEnded || socket.writableLength > 0) onEnd();
    else socket.write(nothing, (error) => void (error ?? onEnd()));
  });
}
