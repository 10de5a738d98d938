import type { AnswerHeaders } from './exchange.js';

/** Receives the parts of an answer in their order, and may keep them. */
interface AnswerSink {
  head(status: number, headers: AnswerHeaders): void;
  data(chunk: Buffer): void;
}

type State = 'head' | 'length' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailer' | 'untilClose' | 'done';

const maxHeadBytes = 32 * 1024;
const maxLineBytes = 4 * 1024;
const endOfHead = Buffer.from('\r\n\r\n');
const endOfLine = Buffer.from('\r\n');
const noBytes = Buffer.alloc(0);
const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;
const digits = /^\d{1,15}$/;
/** Some servers pad the size of a chunk to a fixed width. */
const chunkSize = /^0*([0-9a-fA-F]{1,8})[ \t]*(?:;|$)/;
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;

/**
 * Parses one HTTP/1.1 answer (RFC 9112), strictly: an ambiguous answer is an error. An idle long poll does not hold a parser, because it
 * is created with the first byte of an answer; the parsers of undici and Node.js need three times the memory of the connection.
 */
export class ResponseParser {
  readonly #sink: AnswerSink;
  #state: State = 'head';
  #pending: Buffer = noBytes;
  #remaining = 0;
  #trailerBytes = 0;
  #mayReuse = true;
  #idleMs = 4_000;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** How long the connection may wait for another call, in milliseconds; 0 when it may not be reused. */
  get reusableMs(): number {
    return this.isDone && this.#mayReuse ? this.#idleMs : 0;
  }

  /** Parses bytes, and keeps none of them. Discards those after the answer. @throws Error with a code when they are not an answer */
  write(bytes: Buffer): void {
    let rest = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    this.#pending = noBytes;
    while (rest.length > 0) {
      const used = this.#step(rest);
      if (used === 0) {
        this.#pending = Buffer.from(rest);
        return;
      }
      rest = rest.subarray(used);
    }
  }

  /** Handles the end of the connection. @throws Error when the answer is not complete */
  end(): void {
    if (this.#state === 'untilClose') this.#state = 'done';
    if (this.#state !== 'done') throw malformed('the connection was closed before the end of the answer');
  }

  /** Parses the next part, and returns how many bytes were used; 0 when more are needed. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes);
      case 'length':
        return this.#content(bytes, 'done');
      case 'chunkSize':
        return this.#line(bytes, (line) => this.#chunkSize(line));
      case 'chunk':
        return this.#content(bytes, 'chunkEnd');
      case 'chunkEnd':
        return this.#line(bytes, (line) => {
          if (line !== '') throw malformed('a chunk is longer than its size');
          this.#state = 'chunkSize';
        });
      case 'trailer':
        return this.#line(bytes, (line) => this.#trailer(line));
      case 'untilClose':
        this.#sink.data(Buffer.from(bytes));
        return bytes.length;
      case 'done':
        /* They belong to no call (RFC 9112, 6.3), and more of them may come. */
        this.#mayReuse = false;
        return bytes.length;
    }
  }

  #head(bytes: Buffer): number {
    const end = bytes.indexOf(endOfHead);
    if (end > maxHeadBytes || (end < 0 && bytes.length > maxHeadBytes))
      throw malformed('the head is too large');
    if (end < 0) return 0;
    const lines = bytes.toString('latin1', 0, end).split('\r\n');
    const match = statusLine.exec(lines.shift() ?? '');
    if (match === null) throw malformed('there is no status line');
    const status = Number(match[2]);
    if (status === 101) throw malformed('the connection changes its protocol');
    const headers = parseFields(lines);
    if (status >= 200) {
      this.#frame(status, headers, match[1] === '1');
      this.#sink.head(status, headers);
    }
    return end + endOfHead.length;
  }

  /** Determines the length of the body (RFC 9112, 6.3). */
  #frame(status: number, headers: AnswerHeaders, isPersistent: boolean): void {
    const coding = headers['transfer-encoding'];
    const length = headers['content-length'];
    this.#mayReuse = isPersistent && !closes(headers['connection']);
    const hint = hintOf(headers['keep-alive']);
    /* The server may close the connection before a call arrives that was sent in the last second. */
    if (hint !== undefined) this.#idleMs = Math.max(0, Math.min(this.#idleMs, hint * 1000 - 1000));
    if (status === 204 || status === 304) this.#state = 'done';
    else if (coding !== undefined) {
      if (length !== undefined || String(coding).toLowerCase() !== 'chunked')
        throw malformed('its framing is ambiguous');
      this.#state = 'chunkSize';
    } else if (length !== undefined) {
      this.#remaining = lengthOf(length);
      this.#state = this.#remaining === 0 ? 'done' : 'length';
    } else {
      this.#mayReuse = false;
      this.#state = 'untilClose';
    }
  }

  #content(bytes: Buffer, next: State): number {
    const part = bytes.subarray(0, this.#remaining);
    this.#remaining -= part.length;
    if (this.#remaining === 0) this.#state = next;
    this.#sink.data(Buffer.from(part));
    return part.length;
  }

  #chunkSize(line: string): void {
    const [, size] = chunkSize.exec(line) ?? [];
    if (size === undefined) throw malformed('the size of a chunk is not a number');
    this.#remaining = Number.parseInt(size, 16);
    this.#state = this.#remaining === 0 ? 'trailer' : 'chunk';
  }

  #trailer(line: string): void {
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > maxLineBytes) throw malformed('its trailer is too large');
    if (line === '') this.#state = 'done';
  }

  #line(bytes: Buffer, take: (line: string) => void): number {
    const end = bytes.indexOf(endOfLine);
    if (end > maxLineBytes || (end < 0 && bytes.length > maxLineBytes)) throw malformed('a line is too long');
    if (end < 0) return 0;
    take(bytes.toString('latin1', 0, end));
    return end + endOfLine.length;
  }
}

function closes(connection: AnswerHeaders[string]): boolean {
  return connection !== undefined && /\bclose\b/i.test(String(connection));
}

/** Returns how many seconds the server keeps an idle connection. */
function hintOf(keepAlive: AnswerHeaders[string]): number | undefined {
  const seconds = keepAlive === undefined ? undefined : /timeout=(\d{1,6})/i.exec(String(keepAlive))?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

function parseFields(lines: readonly string[]): AnswerHeaders {
  const headers = Object.create(null) as Record<string, string | string[]>;
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    if (!fieldName.test(name)) throw malformed('a header has an invalid name');
    const value = line.slice(colon + 1).trim();
    if (/[\0\r\n]/.test(value)) throw malformed('a header contains control characters');
    const key = name.toLowerCase();
    const known = headers[key];
    headers[key] = known === undefined ? value : Array.isArray(known) ? [...known, value] : [known, value];
  }
  return headers;
}

/** Returns the error for a malformed answer. Its message never quotes the answer, which may hold secrets. */
function malformed(message: string): Error {
  return Object.assign(new Error(message), { code: 'MALFORMED_HTTP' });
}

/** Returns a length, which a server or a proxy may repeat (RFC 9110, 8.6). @throws Error with a code */
function lengthOf(field: string | string[]): number {
  if (typeof field === 'string' && digits.test(field)) return Number(field);
  const values = String(field).split(',');
  const first = values[0]?.trim() ?? '';
  if (!digits.test(first) || values.some((value) => value.trim() !== first))
    throw malformed('its length is not a number');
  return Number(first);
}
