import { Http2Error } from './http2-error.js';
import { maxHeadBytes } from './answer-head.js';

const maxFragments = 32;

/** A header block that is spread over HEADERS and CONTINUATION frames (RFC 9113, 4.3), limited in bytes and in frames. */
export class HeaderBlock {
  readonly streamId: number;
  readonly isEnd: boolean;
  readonly #fragments: Buffer[] = [];
  #bytes = 0;

  /** @param isEnd whether the block ends its stream */
  constructor(streamId: number, isEnd: boolean) {
    this.streamId = streamId;
    this.isEnd = isEnd;
  }

  /** Adds a copy of a fragment. @throws Http2Error when there are too many */
  add(fragment: Buffer): void {
    this.#bytes += fragment.length;
    if (this.#bytes > maxHeadBytes || this.#fragments.length === maxFragments)
      throw new Http2Error('ENHANCE_YOUR_CALM', 'a header block is too large');
    this.#fragments.push(Buffer.from(fragment));
  }

  whole(): Buffer {
    return Buffer.concat(this.#fragments);
  }
}
