import type { Exchange } from '../exchange.js';
import type { AnswerHead } from './answer-head.js';

/** The bytes that a server may send for one answer before this client has read some: enough for a fast transfer of a large payload. */
export const streamWindow = 1024 * 1024;
const noLength = -1;

export interface StreamOwner {
  /** Called when a call has failed for its caller, who may not know that the stream has ended. */
  cancel(stream: Http2Stream, error: Error): void;
}

/** A call on a connection. There is one for each idle long poll, so it holds little memory. */
export class Http2Stream {
  readonly id: number;
  readonly exchange: Exchange;
  readonly #owner: StreamOwner;
  /** The number of bytes that the server still accepts. */
  sendWindow: number;
  /** Received bytes for which the server has not yet been permitted to send more. */
  #received = 0;
  #expected = noLength;
  #hasHead = false;

  constructor(id: number, exchange: Exchange, sendWindow: number, owner: StreamOwner) {
    this.#owner = owner;
    this.id = id;
    this.exchange = exchange;
    this.sendWindow = sendWindow;
  }

  /** Ends the call. */
  cancel(error: Error): void {
    this.#owner.cancel(this, error);
  }

  /** Takes a head or a trailer, and passes on the final head. Returns why it is malformed (RFC 9113, 8.1). */
  takeHead(head: AnswerHead, isEnd: boolean): string | undefined {
    if (head.problem !== undefined) return head.problem;
    if (this.#hasHead) return trailerProblem(head, isEnd) ?? this.#endProblem(isEnd);
    const { status, headers } = head;
    if (status === 0) return 'there is no status';
    if (status < 200)
      return status === 101 || isEnd ? 'an interim head has status 101 or ends the answer' : undefined;
    const length = headers['content-length'];
    if (length !== undefined && (typeof length !== 'string' || !/^\d{1,15}$/.test(length)))
      return 'its length is not a number';
    this.#hasHead = true;
    /* The length of an answer without content is that of another answer (RFC 9110, 8.6). */
    if (length !== undefined && status !== 204 && status !== 304) this.#expected = Number(length);
    this.exchange.head(status, headers);
    return this.#endProblem(isEnd);
  }

  /** Counts content without passing it on. Returns why it is malformed. */
  countContent(bytes: number, isEnd: boolean): string | undefined {
    if (!this.#hasHead) return 'there is content before the head';
    if (this.#expected !== noLength) {
      if (bytes > this.#expected) return 'it is longer than its Content-Length';
      this.#expected -= bytes;
    }
    return this.#endProblem(isEnd);
  }

  /** Counts received bytes, with padding. Returns how many more the server may send: 0 until half of the window is used. */
  receive(bytes: number): number {
    this.#received += bytes;
    if (this.#received < streamWindow / 2) return 0;
    const increment = this.#received;
    this.#received = 0;
    return increment;
  }

  #endProblem(isEnd: boolean): string | undefined {
    return isEnd && this.#expected > 0 ? 'it is shorter than its Content-Length' : undefined;
  }
}

function trailerProblem({ status }: AnswerHead, isEnd: boolean): string | undefined {
  return status !== 0 || !isEnd ? 'there is a second head' : undefined;
}
