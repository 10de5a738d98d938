import { connect, type Socket } from 'node:net';
import { onAbort, type Clock } from '@interlock/base';

/** Connects to one address. Rejects when it is refused, not reached in time, or no longer wanted. */
export type Dial = (address: string, port: number, signal: AbortSignal) => Promise<Socket>;

/** How many addresses of a host are tried. */
const maxAttempts = 4;
/** Milliseconds that an address gets while others are left. */
const attemptMs = 3_000;

/** Connects by TCP. The socket is paused, and each half of it is ended for itself. */
export const dialTcp: Dial = (address, port, signal) =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: address,
      port,
      allowHalfOpen: true,
      noDelay: true,
      autoSelectFamily: false,
    });
    const fail = (error: Error): void => {
      off();
      socket.destroy();
      reject(error);
    };
    const off = onAbort(signal, () => fail(new DialTimeout('no connection in time')));
    socket.once('error', fail);
    socket.once('connect', () => {
      off();
      socket.off('error', fail);
      /* Without a reader a socket stays quiet until it is read; an error meanwhile must not end the process. */
      socket.on('error', ignore);
      resolve(socket);
    });
  });

/** A connection took longer than it may. */
export class DialTimeout extends Error {
  override readonly name = 'DialTimeout';
}

export interface DialedTarget {
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Connects to the first of the addresses that answers, one after the other and a bounded number of them.
 *
 * @param addresses only those that the policy permits
 * @throws the error of the last attempt
 */
export async function dialFirst(
  dial: Dial,
  clock: Clock,
  { addresses, port }: { addresses: readonly string[]; port: number },
  signal: AbortSignal,
): Promise<DialedTarget> {
  let last: unknown = new DialTimeout('no connection in time');
  const tried = addresses.slice(0, maxAttempts);
  for (const [index, address] of tried.entries()) {
    if (signal.aborted) break;
    const attempt = new AbortController();
    const off = onAbort(signal, () => attempt.abort());
    const timer = index < tried.length - 1 ? clock.setTimeout(() => attempt.abort(), attemptMs) : undefined;
    try {
      return { socket: await dial(address, port, attempt.signal), address };
    } catch (error) {
      last = error;
    } finally {
      off();
      timer?.cancel();
    }
  }
  throw last;
}

function ignore(): void {
  /* The relay that takes the socket over finds it destroyed. */
}
