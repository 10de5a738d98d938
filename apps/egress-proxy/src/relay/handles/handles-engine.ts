import { createServer, Socket, type Server, type SocketConstructorOpts } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { DialTimeout, type Dial, type ListenOptions, type Listening, type RelayEngine } from '../engine.js';
import { listenOn } from '../listen.js';
import { SocketConnection } from '../sockets/socket-connection.js';
import { loadBinding, type HandleBinding, type TcpHandle } from './binding.js';
import { HandleConnection } from './handle-connection.js';

/**
 * Returns the engine that bypasses the streams of Node.js, except for clients that use TLS.
 *
 * @throws an Error when this version of Node.js lacks what the engine requires
 */
export function handlesEngine(): RelayEngine<HandleConnection> {
  const binding = loadBinding();
  return {
    name: 'handles',
    listen: (options) => listen(binding, options),
    dial: dialWith(binding),
    handOver: (connection, first) => new SocketConnection(socketOf(connection, first)),
  };
}

/** The internals of a server that the engine uses. */
interface ServerHandle {
  setNoDelay?: (isOn: boolean) => number;
  onconnection?: (status: number, handle: TcpHandle | undefined) => void;
}

async function listen(
  binding: HandleBinding,
  { address, onConnection, onError }: ListenOptions<HandleConnection>,
): Promise<Listening> {
  const server = createServer();
  /* One object for all connections, which costs less than one for each. */
  const peer: { address?: string } = { address: '' };
  /* The event loop accepts connections only in a later turn than the one in which this resolves. */
  const port = await listenOn(server, address, onError);
  const serverHandle = (server as Server & { _handle?: ServerHandle })._handle;
  if (serverHandle === undefined || typeof serverHandle.onconnection !== 'function') {
    server.close();
    throw new Error('a server of this version of Node.js has no usable handle');
  }
  /* Accepted connections inherit the option, which saves a system call for each of them. */
  serverHandle.setNoDelay?.(true);
  serverHandle.onconnection = (status, handle) => {
    if (handle === undefined) onError(systemError(status, 'accept'));
    else onConnection(accepted(handle, binding, peer));
  };
  return { port, stop: () => void server.close() };
}

/** @param peer receives the address of the client */
function accepted(handle: TcpHandle, binding: HandleBinding, peer: { address?: string }): HandleConnection {
  const status = handle.getpeername(peer);
  return new HandleConnection(handle, binding, status === 0 ? peer.address : undefined);
}

/** Returns a socket over the handle of a connection. TLS reads from the handle itself, so its buffer is not used. */
function socketOf(connection: HandleConnection, first: Buffer): Socket {
  const options = { handle: connection.detach(), allowHalfOpen: true, pauseOnCreate: true };
  const socket = new Socket(options as SocketConstructorOpts);
  /* The socket is read later, and the memory of the bytes is reused. */
  socket.unshift(Buffer.from(first));
  return socket;
}

function dialWith(binding: HandleBinding): Dial<HandleConnection> {
  return (address, port, attempt) =>
    new Promise((resolve, reject) => {
      const handle = binding.newSocket();
      const request = binding.newConnect();
      let isOver = false;
      const fail = (error: Error): void => {
        if (isOver) return;
        isOver = true;
        handle.close();
        reject(error);
      };
      request.oncomplete = (status) => {
        if (isOver) return;
        if (status < 0) return fail(systemError(status, 'connect'));
        isOver = true;
        attempt.whenGivenUp(undefined);
        handle.setNoDelay(true);
        resolve(connection);
      };
      const connect = address.includes(':') ? handle.connect6 : handle.connect;
      const status = connect.call(handle, request, address, port);
      if (status < 0) return fail(systemError(status, 'connect'));
      const connection = new HandleConnection(handle, binding, address);
      connection.readAhead();
      attempt.whenGivenUp(() => fail(new DialTimeout('the connection was not established in time')));
    });
}

function systemError(status: number, call: string): Error {
  const code = getSystemErrorName(status);
  return Object.assign(new Error(`${call} ${code}`), { code });
}
