import { entryOverhead } from './hpack-dynamic-table.js';
import type { FieldSink } from './hpack-decoder.js';

/** The maximum size of the names and values of a head, as over HTTP/1.1. */
export const maxHeadBytes = 32 * 1024;
const fieldName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/;
const unacceptable = /[\0\r\n]|^[ \t]|[ \t]$/;
const ofConnection: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'],
]);
const colon = 0x3a;

/** Collects and checks the fields of one header block (RFC 9113, 8.2 and 8.3): a head or a trailer. */
export class AnswerHead implements FieldSink {
  readonly headers = Object.create(null) as Record<string, string | string[]>;
  /** 0 when there is none. */
  status = 0;
  #problem: string | undefined;
  #hasFields = false;
  #bytes = 0;

  /** Why the block is malformed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  field(name: string, value: string): void {
    this.#bytes += name.length + value.length + entryOverhead;
    if (this.#bytes > maxHeadBytes) this.#problem ??= 'the head is too large';
    if (this.#problem !== undefined) return;
    if (name.charCodeAt(0) === colon) this.#pseudo(name, value);
    else this.#regular(name, value);
  }

  #pseudo(name: string, value: string): void {
    if (name !== ':status' || this.status !== 0 || this.#hasFields || !/^[1-9]\d\d$/.test(value))
      this.#problem = 'the status is invalid';
    else this.status = Number(value);
  }

  #regular(name: string, value: string): void {
    this.#hasFields = true;
    if (!fieldName.test(name)) this.#problem = 'a header has an invalid name';
    else if (unacceptable.test(value)) this.#problem = 'a header contains characters that are not permitted';
    else if (ofConnection.has(name)) this.#problem = 'a header is not permitted in HTTP/2';
    else {
      const known = this.headers[name];
      if (known === undefined) this.headers[name] = value;
      else if (Array.isArray(known)) known.push(value);
      else this.headers[name] = [known, value];
    }
  }
}
