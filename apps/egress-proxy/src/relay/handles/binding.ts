/** The result of a call; if negative, the number of a system error. */
type Status = number;

/** The handle of a connection or a listening port, which Node.js uses below its streams. */
export interface TcpHandle {
  readonly fd: number;
  /** Called with the handle as `this` and the bytes in the user buffer. Returns the buffer for the next read, or undefined for the same one. */
  onread: ((this: TcpHandle) => Buffer | undefined) | undefined;
  /** The object that owns the handle. */
  connection?: unknown;
  useUserBuffer(buffer: Buffer): void;
  readStart(): Status;
  readStop(): Status;
  writeBuffer(request: WriteRequest, bytes: Buffer): Status;
  shutdown(request: HandleRequest): Status;
  connect(request: HandleRequest, address: string, port: number): Status;
  connect6(request: HandleRequest, address: string, port: number): Status;
  getpeername(out: { address?: string }): Status;
  setNoDelay(isOn: boolean): Status;
  reset(): Status;
  close(): void;
}

/** A pending operation. */
interface HandleRequest {
  oncomplete: ((status: Status) => void) | undefined;
}

interface WriteRequest extends HandleRequest {
  /** Keeps the bytes alive until they are sent. */
  bytes?: Buffer;
}

/** The internal bindings of Node.js that the engine uses. */
export interface HandleBinding {
  readonly newSocket: () => TcpHandle;
  readonly newConnect: () => HandleRequest;
  readonly newWrite: () => WriteRequest;
  readonly newShutdown: () => HandleRequest;
  /** Result of the current read: the number of bytes, or a negative status. */
  readonly bytesRead: () => number;
  /** Whether the last write is not finished. */
  readonly isWritePending: () => boolean;
}

type Constructor<T, A extends unknown[] = []> = new (...args: A) => T;

interface TcpWrap {
  TCP: Constructor<TcpHandle, [type: number]>;
  TCPConnectWrap: Constructor<HandleRequest>;
  constants: { SOCKET: number };
}

interface StreamWrap {
  WriteWrap: Constructor<WriteRequest>;
  ShutdownWrap: Constructor<HandleRequest>;
  streamBaseState: Int32Array;
  kReadBytesOrError: number;
  kLastWriteWasAsync: number;
}

/**
 * Returns the bindings below `node:net`. They are not a public API (DEP0111), so their shape is checked, and
 * {@link testEngine} tries them before they are used.
 *
 * @throws an Error that names what this version of Node.js lacks
 */
export function loadBinding(): HandleBinding {
  const tcp = load<TcpWrap>('tcp_wrap', { TCP: 'function', TCPConnectWrap: 'function', constants: 'object' });
  const stream = load<StreamWrap>('stream_wrap', {
    WriteWrap: 'function',
    ShutdownWrap: 'function',
    streamBaseState: 'object',
    kReadBytesOrError: 'number',
    kLastWriteWasAsync: 'number',
  });
  const { TCP, TCPConnectWrap, constants } = tcp;
  const { WriteWrap, ShutdownWrap, streamBaseState, kReadBytesOrError, kLastWriteWasAsync } = stream;
  const { SOCKET } = constants;
  for (const method of methods) requireType('tcp_wrap', `TCP.${method}`, method in TCP.prototype, true);
  return {
    newSocket: () => new TCP(SOCKET),
    newConnect: () => new TCPConnectWrap(),
    newWrite: () => new WriteWrap(),
    newShutdown: () => new ShutdownWrap(),
    bytesRead: () => streamBaseState[kReadBytesOrError] ?? 0,
    isWritePending: () => streamBaseState[kLastWriteWasAsync] !== 0,
  };
}

const methods: readonly (keyof TcpHandle)[] = [
  ...(['fd', 'onread', 'useUserBuffer', 'readStart', 'readStop', 'writeBuffer', 'shutdown'] as const),
  ...(['connect', 'connect6', 'getpeername', 'setNoDelay', 'reset', 'close'] as const),
];

function load<T>(name: string, members: Readonly<Record<keyof T & string, string>>): T {
  const { binding } = process as { binding?: (name: string) => unknown };
  if (typeof binding !== 'function') throw new Error('process.binding is missing');
  const found = binding.call(process, name) as Record<string, unknown>;
  for (const [member, type] of Object.entries(members)) {
    requireType(name, member, typeof found[member], type);
  }
  return found as T;
}

function requireType<T>(name: string, member: string, found: T, expected: unknown): void {
  if (found !== expected) throw new Error(`${name} of this version of Node.js has no usable ${member}`);
}
