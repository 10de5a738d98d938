import type { Socket } from 'node:net';
import type { Deadlines } from '@interlock/base';

/** First byte of every connection with TLS: the type of a record for a handshake (RFC 8446, 5.1). No method of HTTP begins with it. */
const handshakeRecord = 0x16;

/**
 * Reports whether a client uses TLS, as soon as its first byte arrives. The bytes remain to be read. A client that sends none in time, or
 * ends its stream first, is disconnected.
 *
 * @param socket is not being read
 */
export function detectTls(socket: Socket, time: Deadlines, onDetected: (isTls: boolean) => void): void {
  const deadline = time.start(() => socket.destroy());
  const close = (): void => void socket.destroy();
  const cancel = (): void => deadline.cancel();
  socket.once('end', close);
  socket.once('close', cancel);
  socket.once('data', (bytes: Buffer) => {
    cancel();
    socket.off('end', close);
    socket.off('close', cancel);
    socket.pause();
    socket.unshift(bytes);
    /* At once: TLS must take the connection over before more bytes are read. */
    onDetected(bytes[0] === handshakeRecord);
  });
  socket.resume();
}
