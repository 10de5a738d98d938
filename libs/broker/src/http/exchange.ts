import { TypedError } from '@interlock/api';
import { abortReason, Deadline, listenForAbort, type Deadlines, type StopSignal } from '@interlock/base';
import { answerTooLarge, decodeContent } from './content-coding.js';
import type { Timeouts } from './timeouts.js';

/** The parts of a URL that a call needs. A `URL` has them, but takes longer to create than the rest of a poll. */
export type CallUrl = Readonly<Pick<URL, 'origin' | 'host' | 'pathname' | 'search'>>;

export interface HttpCall {
  method: 'GET' | 'POST' | 'DELETE';
  url: CallUrl;
  /** A bearer token (RFC 6750). It is apart from the other headers, so that it can be checked without a copy. */
  token?: string | undefined;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** The maximum size of the answer; a larger one is a failure. */
  maxBytes: number;
  /** The timeout of the whole call in milliseconds, including the connection and the body. */
  timeoutMs: number;
}

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpAnswer {
  status: number;
  /** Names in lower case. */
  headers: AnswerHeaders;
  body: Buffer;
}

const noBytes = Buffer.alloc(0);
const noHeaders: AnswerHeaders = {};

/**
 * Forgets the content of an answer that has been read. The promises of a held poll are old, and a minor collection keeps what an old
 * object refers to.
 */
export function release(answer: HttpAnswer): void {
  answer.headers = noHeaders;
  answer.body = noBytes;
}

/** The caller of a call: one of its methods is called, once. */
export interface CallHandler {
  answered(answer: HttpAnswer): void;
  failed(error: unknown): void;
}

/** The connection or the stream of a call. */
interface Carrier {
  /** Ends the call. @param error why */
  cancel(error: Error): void;
}

/** A call in progress: limited in time and size, settled once. It holds little memory, because there are many long polls. */
export class Exchange extends Deadline {
  readonly #host: string;
  readonly #maxBytes: number;
  #call: HttpCall | undefined;
  readonly #handler: CallHandler;
  readonly #deadlines: Deadlines;
  readonly #signal: StopSignal | undefined;
  #carrier: Carrier | undefined;
  #status = 0;
  #headers: AnswerHeaders = noHeaders;
  #chunks: Buffer[] | undefined;
  #bytes = 0;
  #isSettled = false;

  /** @param signal has not been aborted */
  constructor(call: HttpCall, handler: CallHandler, timeouts: Timeouts, signal: StopSignal | undefined) {
    super();
    this.#host = call.url.host;
    this.#maxBytes = call.maxBytes;
    this.#call = call;
    this.#handler = handler;
    this.#deadlines = timeouts.start(this, call.timeoutMs);
    this.#signal = signal;
    if (signal !== undefined) listenForAbort(signal, this);
  }

  /** Returns the call to send. @throws TypedError when it has been sent */
  get call(): HttpCall {
    if (this.#call === undefined) throw new TypedError('Permanent', 'the call was already sent');
    return this.#call;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /**
   * Sets what carries the call; cancels it there at once if the call has been aborted. The sent data is not kept.
   */
  attach(carrier: Carrier): void {
    this.#call = undefined;
    if (this.#isSettled) carrier.cancel(new Error('the call was aborted'));
    else this.#carrier = carrier;
  }

  head(status: number, headers: AnswerHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  data(chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      this.fail(answerTooLarge({ host: this.#host, maxBytes: this.#maxBytes }));
      return;
    }
    if (this.#chunks === undefined) this.#chunks = [chunk];
    else this.#chunks.push(chunk);
  }

  end(): void {
    if (!this.#settle()) return;
    const chunks = this.#chunks ?? [];
    const body = chunks.length <= 1 ? (chunks[0] ?? noBytes) : Buffer.concat(chunks);
    /* A minor collection keeps what an old object refers to, and the exchange of a held poll is old. */
    this.#chunks = undefined;
    const headers = this.#headers;
    this.#headers = noHeaders;
    const coding = headers['content-encoding'];
    if (coding === undefined) this.#handler.answered({ status: this.#status, headers, body });
    else this.#answerDecoded(headers, body, coding);
  }

  /** Passes on an answer without its content coding. A refusal that cannot be decoded has no content: its status alone decides. */
  #answerDecoded(headers: AnswerHeaders, coded: Buffer, coding: string | string[]): void {
    const isSuccess = this.#status >= 200 && this.#status < 300;
    let body: Buffer = noBytes;
    try {
      body = decodeContent(coded, coding, { host: this.#host, maxBytes: this.#maxBytes });
    } catch (error) {
      if (isSuccess) return this.#handler.failed(error);
    }
    this.#handler.answered({ status: this.#status, headers, body });
  }

  fail(error: Error): void {
    if (!this.#settle()) return;
    this.#carrier?.cancel(error);
    this.#handler.failed(error);
  }

  /** Fails the call after it may have reached the server. */
  lost(error: unknown): void {
    this.fail(failure('AnswerLost', `the answer of ${this.#host} was lost`, error));
  }

  /** Fails the call because its connection, which earlier calls used, was closed before an answer: perhaps before the call arrived. */
  stale(error: unknown): void {
    this.fail(failure('StaleConnection', `${this.#host} closed a connection that was reused`, error));
  }

  /** Returns the failure of a connection that was not established. */
  connectFailure(error: unknown): TypedError {
    return failure('ConnectFailed', `cannot connect to ${this.#host}`, error);
  }

  /** Fails the call because its signal was aborted. */
  handleEvent(): void {
    if (this.#signal !== undefined) this.fail(abortReason(this.#signal));
  }

  /** Fails the call because of its timeout. */
  override expire(): void {
    const within = `within ${this.#deadlines.ms / 1000} s`;
    const wasSent = this.#call === undefined;
    this.fail(
      wasSent
        ? failure('Timeout', `${this.#host} did not answer ${within}`, undefined)
        : failure('ConnectFailed', `cannot connect to ${this.#host} ${within}`, undefined),
    );
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#deadlines.remove(this);
    this.#signal?.removeEventListener('abort', this);
    return true;
  }
}

function failure(
  reason: 'AnswerLost' | 'ConnectFailed' | 'StaleConnection' | 'Timeout',
  message: string,
  cause: unknown,
): TypedError {
  const code = codeOf(cause);
  return new TypedError('Transient', code === '' ? message : `${message}: ${code}`, { reason, cause });
}

/** Returns only the code of an error: the messages of transports may quote the sent data. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
