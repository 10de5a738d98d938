import { connect, createServer } from 'node:net';
import { DialTimeout, type Dial, type RelayEngine } from '../engine.js';
import { heldBytes, type HeldBytes } from '../held.js';
import { listenOn } from '../listen.js';
import { SocketConnection } from './socket-connection.js';

/** The engine that uses only the documented API of Node.js. Clients that use TLS are served by its connections. */
export const socketsEngine = socketsEngineOf(heldBytes);

/** @param ledger counts what the connections hold */
export function socketsEngineOf(ledger: HeldBytes): RelayEngine<SocketConnection> {
  return {
    name: 'sockets',
    async listen({ address, onConnection, onError }) {
      const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: true };
      const server = createServer(options, (socket) => onConnection(new SocketConnection(socket, ledger)));
      const port = await listenOn(server, address, onError);
      return { port, stop: () => void server.close() };
    },
    dial: (...target) => dialSocket(ledger, ...target),
    handOver(connection, first) {
      connection.socket.pause();
      connection.socket.unshift(first);
      return connection;
    },
  };
}

function dialSocket(
  ledger: HeldBytes,
  ...[address, port, attempt]: Parameters<Dial>
): Promise<SocketConnection> {
  return new Promise((resolve, reject) => {
    const options = { host: address, port, allowHalfOpen: true, noDelay: true, autoSelectFamily: false };
    const socket = connect(options);
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      attempt.whenGivenUp(undefined);
      socket.off('error', fail);
      resolve(new SocketConnection(socket, ledger));
    });
    attempt.whenGivenUp(() => fail(new DialTimeout('the connection was not established in time')));
  });
}
