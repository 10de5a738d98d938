import { TypedError } from '@interlock/api';
import { AnswerTimer, type SpawnedProcess } from '@interlock/process';
import { gitFailure, memoryExceeded } from '../process/failure.js';
import { timeoutError } from '../process/run.js';
import type { ReaderSlots } from './reader-slots.js';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export interface GitObject {
  type: ObjectType;
  content: Buffer;
}

interface Request {
  wantsContent: boolean;
  resolve(answer: Answer | undefined): void;
  reject(error: Error): void;
}

interface Answer {
  type: ObjectType;
  size: number;
  content: Buffer;
}

interface CatFileOptions {
  /** The owner for fair scheduling. */
  owner: string;
  startProcess: () => SpawnedProcess;
  /** Milliseconds without a request after which the process ends. */
  idleMs: number;
  /** Milliseconds in which a process has to answer the oldest request; a process that exceeds them is replaced. */
  answerMs: number;
  /** Shared by the readers of all mirrors. */
  slots: ReaderSlots;
}

const maxStderr = 4096;

/**
 * A long-lived `git cat-file --batch-command`: started by the first request, ended after `idleMs` without a request.
 * It never fetches a missing object from the network.
 */
export class CatFile {
  #child: SpawnedProcess | undefined;
  #hasSlot = false;
  /** Resolves when the process may run; all waiting requests share one promise. */
  #waiting: Promise<void> | undefined;
  readonly #requests: Request[] = [];
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  /** Runs while the process answers a request. */
  #answerTimer: AnswerTimer | undefined;
  /** Runs while the process is idle. */
  #idleTimer: NodeJS.Timeout | undefined;

  readonly #options: CatFileOptions;

  constructor(options: CatFileOptions) {
    this.#options = options;
  }

  /**
   * Returns the object, or undefined when it is not in the repository.
   * @throws TypedError `Invalid` (`ObjectTooLarge`) above `maxBytes`; `Transient` when the process ends, or does not answer
   *   in time (`GitTimeout`).
   */
  async read(sha: string, maxBytes: number): Promise<GitObject | undefined> {
    const info = await this.#ask(`info ${sha}\n`, false);
    if (!info) return undefined;
    if (info.size > maxBytes) {
      throw new TypedError(
        'Invalid',
        `${info.type} ${sha} has ${info.size} bytes, more than the ${maxBytes} allowed`,
        {
          reason: 'ObjectTooLarge',
        },
      );
    }
    const answer = await this.#ask(`contents ${sha}\n`, true);
    return answer && { type: answer.type, content: answer.content };
  }

  /** Returns whether a reference or an object id exists in the repository. */
  async exists(revision: string): Promise<boolean> {
    return (await this.#ask(`info ${revision}\n`, false)) !== undefined;
  }

  get owner(): string {
    return this.#options.owner;
  }

  /** Whether a process runs without waiting requests. */
  get isIdle(): boolean {
    return this.#child !== undefined && this.#requests.length === 0;
  }

  /** Ends the process; its unanswered requests are rejected. The next request starts another one. */
  close(): void {
    this.#end(new TypedError('Transient', 'git cat-file was closed', { reason: 'GitClosed' }));
  }

  #end(error: TypedError): void {
    const child = this.#child;
    if (!child) return;
    this.#forget(child, error);
    child.stop();
  }

  async #ask(line: string, wantsContent: boolean): Promise<Answer | undefined> {
    while (!this.#hasSlot) {
      if (this.#options.slots.tryTake(this)) this.#hasSlot = true;
      else await (this.#waiting ??= this.#takeSlot());
    }
    const child = (this.#child ??= this.#launch());
    return new Promise((resolve, reject) => {
      this.#requests.push({ wantsContent, resolve, reject });
      if (this.#requests.length === 1) this.#awaitAnswer();
      child.stdin.write(line);
      this.#options.slots.use(this);
    });
  }

  async #takeSlot(): Promise<void> {
    try {
      await this.#options.slots.take(this);
      this.#hasSlot = true;
    } finally {
      this.#waiting = undefined;
    }
  }

  #freeSlot(): void {
    this.#hasSlot = false;
    this.#options.slots.free(this);
  }

  /**
   * Starts the timeout of the oldest request. A partial answer does not extend it: a process that answers in tiny pieces
   * counts as stalled too.
   */
  #awaitAnswer(): void {
    const { answerMs } = this.#options;
    this.#stopTimers();
    this.#answerTimer = new AnswerTimer(answerMs, () => this.#end(timeoutError('cat-file', answerMs)));
  }

  #awaitQuestion(): void {
    this.#stopTimers();
    this.#idleTimer = setTimeout(() => this.close(), this.#options.idleMs);
    this.#idleTimer.unref();
    this.#options.slots.rest(this);
  }

  #stopTimers(): void {
    this.#answerTimer?.cancel();
    clearTimeout(this.#idleTimer);
  }

  #launch(): SpawnedProcess {
    const child = this.#startProcess();
    let stderr = '';
    const ended = (why: string, cause?: Error) => this.#forget(child, endError(why, stderr, cause));
    child.once('error', (error) => ended(error.message, error));
    child.once('close', (code, signal) => ended(`exit ${code ?? signal}`));
    child.stdin.on('error', () => undefined); // 'close' reports it.
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-maxStderr);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.#child !== child) return;
      this.#unread.push(chunk);
      this.#unreadBytes += chunk.length;
      this.#deliver();
    });
    return child;
  }

  #startProcess(): SpawnedProcess {
    try {
      return this.#options.startProcess();
    } catch (error) {
      this.#freeSlot();
      throw error;
    }
  }

  #forget(child: SpawnedProcess, error: TypedError): void {
    if (this.#child !== child) return;
    this.#stopTimers();
    this.#child = undefined;
    this.#freeSlot();
    this.#unread = [];
    this.#unreadBytes = 0;
    for (const request of this.#requests.splice(0)) request.reject(error);
  }

  #deliver(): void {
    for (let request = this.#requests[0]; request; request = this.#requests[0]) {
      const answer = this.#takeAnswer(request.wantsContent);
      if (answer === 'incomplete') return;
      this.#requests.shift();
      if (this.#requests.length > 0) this.#awaitAnswer();
      request.resolve(answer);
    }
    this.#awaitQuestion();
  }

  #takeAnswer(wantsContent: boolean): Answer | undefined | 'incomplete' {
    const first = this.#unread[0];
    if (!first) return 'incomplete';
    let header = first.indexOf(0x0a);
    if (header < 0) header = this.#joined().indexOf(0x0a);
    if (header < 0) return 'incomplete';
    const [, type, size] = (this.#unread[0] ?? first).toString('latin1', 0, header).split(' ');
    if (type === 'missing' || size === undefined) {
      this.#take(header + 1);
      return undefined;
    }
    const length = wantsContent ? Number(size) + 1 : 0;
    if (this.#unreadBytes < header + 1 + length) return 'incomplete';
    const answer = this.#take(header + 1 + length);
    return {
      type: type as ObjectType,
      size: Number(size),
      content: answer.subarray(header + 1, answer.length - (wantsContent ? 1 : 0)),
    };
  }

  #joined(): Buffer {
    const all = this.#unread.length === 1 && this.#unread[0] ? this.#unread[0] : Buffer.concat(this.#unread);
    this.#unread = [all];
    return all;
  }

  /**
   * Returns the first `length` bytes, as a copy that retains neither the rest of the stream nor, as other small buffers of Node.js do,
   * 8 KiB that several of them share.
   */
  #take(length: number): Buffer {
    const all = this.#joined();
    this.#unread = length === all.length ? [] : [all.subarray(length)];
    this.#unreadBytes -= length;
    const taken = Buffer.allocUnsafeSlow(length);
    all.copy(taken);
    return taken;
  }
}

/** Returns the error for the requests to a process that has ended. Its output may indicate a damaged mirror. */
function endError(why: string, stderr: string, cause: Error | undefined): TypedError {
  const failure = gitFailure('cat-file', stderr, []);
  if (failure.reason === memoryExceeded) return failure;
  return new TypedError('Transient', `git cat-file ended: ${why}`, { reason: 'GitFailed', cause });
}

/** Returns what `git cat-file --batch` writes for one object; undefined if it is not in the repository. */
export function parseObject(output: Buffer): GitObject | undefined {
  const header = output.indexOf(0x0a);
  const [, type, size] = output.toString('latin1', 0, header).split(' ');
  if (type === 'missing' || size === undefined) return undefined;
  return { type: type as ObjectType, content: output.subarray(header + 1, header + 1 + Number(size)) };
}
