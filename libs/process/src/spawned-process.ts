import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { ProcessInput, ProcessOutput } from './streams.js';

/** What to start, and how. */
export interface ProgramStart {
  /** A name, which is searched for in `PATH` of the environment, or a path. */
  program: string;
  args: readonly string[];
  /** The whole environment; nothing of this process is added. */
  environment: Readonly<Record<string, string>>;
  /** The working directory. Default: `/`. */
  folder?: string | undefined;
  /** Streams that are `/dev/null`: no input, and discarded output. Default: none. */
  ignore?: readonly StreamName[] | undefined;
}

interface ProcessEvents {
  /** The process runs, and has a `pid`. */
  spawn: [];
  /** The process could not be started, or its end is unknown; the argument is a TypedError. */
  error: [Error];
  /** The process has ended; its output may not have been read. */
  exit: [code: number | null, signal: NodeJS.Signals | null];
  /** The process has ended, and its streams are closed. Also emitted after `error`. */
  close: [code: number | null, signal: NodeJS.Signals | null];
}

const streamNames = ['stdin', 'stdout', 'stderr'] as const;
type StreamName = (typeof streamNames)[number];
const killAfterMs = 2_000;

/**
 * A process that leads its own process group, with the part of the interface of `ChildProcess` that programs need. The
 * streams can be used at once; ignored streams are closed.
 */
export class SpawnedProcess extends EventEmitter<ProcessEvents> {
  readonly #input = new ProcessInput();
  readonly #outputs = { stdout: new ProcessOutput(), stderr: new ProcessOutput() };
  readonly #pendingSignals: NodeJS.Signals[] = [];
  readonly #pendingSockets: [name: StreamName, socket: Socket][] = [];
  #pid: number | undefined;
  #exitCode: number | null = null;
  #signalCode: NodeJS.Signals | null = null;
  #hasEnded = false;
  #isClosed = false;

  constructor({ ignore = [] }: Pick<ProgramStart, 'ignore'>) {
    super();
    for (const stream of Object.values(this.#outputs)) stream.once('close', () => this.#closeWhenDone());
    for (const name of ignore) this.#streamOf(name).destroy();
  }

  get stdin(): Writable {
    return this.#input;
  }

  get stdout(): Readable {
    return this.#outputs.stdout;
  }

  get stderr(): Readable {
    return this.#outputs.stderr;
  }

  /** The process and its group; undefined until it runs. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** The exit code of the process; null while it runs, and when a signal ended it. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  /** The signal that ended the process. */
  get signalCode(): NodeJS.Signals | null {
    return this.#signalCode;
  }

  /**
   * Sends a signal to the process and all others of its group; if the process does not run yet, sends it as soon as
   * it runs.
   */
  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    if (this.#isClosed) return;
    if (this.#pid === undefined) this.#pendingSignals.push(signal);
    else signalGroup(this.#pid, signal);
  }

  /** Ends the process and its group: by `SIGTERM`, so that it can clean up, and two seconds later by `SIGKILL`. */
  stop(): void {
    if (this.#isClosed) return;
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), killAfterMs);
    this.once('close', () => clearTimeout(timer));
  }

  /** Closes the streams of the process: output is discarded, and writes are refused. */
  disconnect(): void {
    for (const name of streamNames) this.#streamOf(name).destroy();
  }

  /** @internal Returns which streams of the process are sockets. */
  get piped(): readonly [boolean, boolean, boolean] {
    const [stdin, stdout, stderr] = streamNames.map((name) => !this.#streamOf(name).destroyed);
    return [stdin === true, stdout === true, stderr === true];
  }

  /** @internal Accepts a stream of the process, which is used once the process is known to run. */
  attach(index: number, socket: Socket): void {
    const name = streamNames[index];
    if (name === undefined || (this.#hasEnded && this.#pid === undefined)) socket.destroy();
    else if (this.#pid === undefined) this.#pendingSockets.push([name, socket]);
    else this.#streamOf(name).attach(socket);
  }

  /** @internal Records that the process runs. */
  started(pid: number): void {
    this.#pid = pid;
    for (const signal of this.#pendingSignals.splice(0)) this.kill(signal);
    this.emit('spawn');
    for (const [name, socket] of this.#pendingSockets.splice(0)) this.#streamOf(name).attach(socket);
  }

  /** @internal Records that the process has ended. */
  exited(code: number | null, signal: NodeJS.Signals | null): void {
    this.#exitCode = code;
    this.#signalCode = signal;
    this.#hasEnded = true;
    this.emit('exit', code, signal);
    /* Unread output does not keep it open. */
    for (const stream of Object.values(this.#outputs)) if (stream.readableFlowing === null) stream.resume();
    this.#closeWhenDone();
  }

  /** @internal Records that the process could not be started, or that its launcher is gone; remaining processes are killed. */
  failed(error: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.kill('SIGKILL');
    for (const [, socket] of this.#pendingSockets.splice(0)) socket.destroy();
    this.emit('error', error);
    this.disconnect();
    process.nextTick(() => this.#closeWhenDone());
  }

  #streamOf(name: StreamName): ProcessInput | ProcessOutput {
    return name === 'stdin' ? this.#input : this.#outputs[name];
  }

  #closeWhenDone(): void {
    const areClosed = Object.values(this.#outputs).every((stream) => stream.closed);
    if (!this.#hasEnded || !areClosed || this.#isClosed) return;
    this.#isClosed = true;
    this.#input.destroy();
    this.emit('close', this.#exitCode, this.#signalCode);
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The group is gone already.
  }
}
