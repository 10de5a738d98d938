import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@interlock/api';
import { AnswerTimer } from './answer-timer.js';
import { launcherLost, startError } from './errors.js';
import { source } from './launcher.worker.js';
import { splitLines } from './lines.js';
import type { LauncherReport, LauncherRequest } from './protocol.js';
import type { ProgramStart, SpawnedProcess } from './spawned-process.js';

/* In MiB: it contains pending requests, and no data of programs. */
const launcherFlags = ['--max-old-space-size=32', '--max-semi-space-size=1'];
const idLength = randomUUID().length;
/** The id of a process, and the number of the stream. */
const headLength = idLength + 1;
const maxLogLength = 2_000;
/** Milliseconds in which a launcher has to end; it waits two seconds itself for its processes. */
const endTimeoutMs = 5_000;

const socketName = 'socket';
/* The limit of macOS, which is lower than that of Linux. Longer paths are truncated, so that the socket would get the name
   of its folder. */
const maxSocketPathBytes = 103;

interface Entry {
  process: SpawnedProcess;
  start: ProgramStart;
  folder: string;
  /** Runs until the launcher has answered. */
  timer: AnswerTimer;
}

/**
 * A launcher process and its child processes. For each standard stream of a child the launcher connects a socket to this
 * process, and passes the other end to the program.
 */
export class LauncherConnection {
  readonly #folder: string;
  readonly #server: Server;
  readonly #launcher: ChildProcess;
  readonly #entries = new Map<string, Entry>();
  readonly #startTimeoutMs: number;
  #log = '';
  #isOver = false;

  /**
   * Starts a launcher. It keeps this process running only while a process runs.
   * @param startTimeoutMs how long the launcher may take to answer a request; a launcher that takes longer is killed.
   * @throws Error when the folder for its sockets cannot be created, or no process can be started.
   */
  constructor(startTimeoutMs: number) {
    this.#startTimeoutMs = startTimeoutMs;
    this.#folder = makeSocketFolder();
    const socketPath = join(this.#folder, socketName);
    this.#server = createServer((socket) => this.#accept(socket))
      .on('error', (error) => this.#lose(error.message))
      .listen(socketPath)
      .unref();
    const args = [...launcherFlags, '--eval', source, '--', this.#folder, socketPath];
    /* A signal to the process group of this process, as by Ctrl-C, does not concern it. */
    this.#launcher = spawn(process.execPath, args, { cwd: '/', env: {}, detached: true, stdio: 'pipe' });
    this.#launcher.unref();
    this.#listen();
    this.#hold();
  }

  /** Whether the launcher accepts further requests. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** The id of the launcher process. */
  get pid(): number | undefined {
    return this.#launcher.pid;
  }

  /** The number of processes that are starting or running, or whose output has not been read to its end. */
  get size(): number {
    return this.#entries.size;
  }

  start(process: SpawnedProcess, start: ProgramStart): void {
    const { program, args, environment, folder = '/' } = start;
    const id = randomUUID();
    const timer = new AnswerTimer(this.#startTimeoutMs, () => this.#lose('it does not answer'));
    this.#entries.set(id, { process, start, folder, timer });
    this.#hold();
    process.once('close', () => this.#release(id));
    this.#request({ type: 'start', id, program, args, environment, folder, piped: process.piped });
  }

  /** Ends the launcher and its processes. Resolves when the launcher has exited. */
  async close(): Promise<void> {
    const { stdin, stdout } = this.#launcher;
    stdin?.end();
    if (this.#isOver || stdout === null) return;
    const timer = setTimeout(() => this.#lose('it does not end'), endTimeoutMs);
    await once(stdout, 'close');
    clearTimeout(timer);
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#launcher;
    this.#launcher.once('error', (error) => this.#lose(error.message));
    stdin?.on('error', () => undefined); // The end of its output shows that it has exited.
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = `${this.#log}${text}`.slice(-maxLogLength);
    });
    stdout
      ?.setEncoding('utf8')
      .on(
        'data',
        splitLines((line) => this.#take(JSON.parse(line) as LauncherReport)),
      )
      .once('close', () => this.#lose(this.#log.trim() || 'it has ended'));
  }

  #request(request: LauncherRequest): void {
    this.#launcher.stdin?.write(`${JSON.stringify(request)}\n`);
  }

  #take(report: LauncherReport): void {
    const entry = this.#entries.get(report.id);
    if (!entry) return;
    entry.timer.cancel();
    if (report.type === 'started') entry.process.started(report.pid);
    else if (report.type === 'exited') entry.process.exited(report.code, report.signal);
    else entry.process.failed(startError(entry.start.program, entry.folder, report));
  }

  #accept(socket: Socket): void {
    const onReadable = () => {
      const head = socket.read(headLength) as Buffer | null;
      if (head === null) return;
      socket.off('readable', onReadable);
      const text = head.toString('latin1');
      const entry = this.#entries.get(text.slice(0, idLength));
      if (entry) entry.process.attach(Number(text.slice(idLength)), socket);
      else socket.destroy();
    };
    socket.on('readable', onReadable).on('error', () => undefined);
  }

  #release(id: string): void {
    this.#entries.get(id)?.timer.cancel();
    this.#entries.delete(id);
    this.#hold();
    if (!this.#isOver) this.#request({ type: 'release', id });
  }

  /** Keeps this process running while it waits for a result. */
  #hold(): void {
    /* Pipes are sockets; they are absent when the system could not create them. */
    const [stdin, stdout, stderr] = this.#launcher.stdio as (Socket | undefined)[];
    stdin?.unref();
    stderr?.unref();
    if (this.#entries.size > 0) stdout?.ref();
    else stdout?.unref();
  }

  /** Ends the processes of a launcher that is no longer available. */
  #lose(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#launcher.kill('SIGKILL');
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
    const error = launcherLost(why);
    for (const { process } of [...this.#entries.values()]) process.failed(error);
  }
}

/**
 * Creates a folder that only this user may access: in the folder for temporary files, unless its path is too long for a
 * socket.
 */
function makeSocketFolder(): string {
  const longest = join(tmpdir(), 'interlock-XXXXXX', socketName);
  const parent = Buffer.byteLength(longest) <= maxSocketPathBytes ? tmpdir() : '/tmp';
  return mkdtempSync(join(parent, 'interlock-'));
}

/** Returns the error for a launcher that could not be started. */
export function connectionError(error: unknown): Error {
  return launcherLost(messageOf(error), error);
}
