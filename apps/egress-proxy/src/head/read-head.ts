import type { Socket } from 'node:net';
import { onAbort } from '@interlock/base';
import { refuse, type Refusal } from '../refusal.js';
import { HeadBuffer, type CompleteHead } from './head-buffer.js';

/**
 * Reads the head of the one request of a connection, and pauses the connection behind it.
 *
 * @param maxBytes of the head
 * @param deadline aborts when the time for the head is over
 * @returns undefined when the client went away without a request
 */
export function readHead(
  socket: Socket,
  maxBytes: number,
  deadline: AbortSignal,
): Promise<CompleteHead | Refusal | undefined> {
  const buffer = new HeadBuffer(maxBytes);
  return new Promise((resolve) => {
    const finish = (result: CompleteHead | Refusal | undefined): void => {
      socket.off('data', onData);
      socket.off('end', onEnd);
      socket.off('close', onClose);
      socket.pause();
      off();
      resolve(result);
    };
    const onData = (chunk: Buffer): void => {
      const result = buffer.push(chunk);
      if (result === 'incomplete') return;
      if (result === 'too-large') {
        finish(
          refuse(431, 'HeadTooLarge', `the request has more than ${maxBytes} bytes before its empty line`),
        );
      } else finish(result);
    };
    const onEnd = (): void =>
      finish(
        buffer.isEmpty
          ? undefined
          : refuse(400, 'MalformedRequest', 'the request ends before its empty line'),
      );
    const onClose = (): void => finish(undefined);
    socket.on('data', onData);
    socket.on('end', onEnd);
    socket.on('close', onClose);
    const off = onAbort(deadline, () =>
      finish(refuse(408, 'HeadTimeout', 'the request is not complete in time')),
    );
    /* A connection is accepted paused, which listening for data does not change. */
    socket.resume();
  });
}
