import { DynamicTable, type HeaderField } from './hpack-dynamic-table.js';
import { decodeHuffman } from './hpack-huffman.js';
import { staticTable } from './hpack-static-table.js';
import { Http2Error } from './http2-error.js';

/** Receives the fields of a header block in their order. The names and values may have any characters up to U+00FF. */
export interface FieldSink {
  field(name: string, value: string): void;
}

/** The default of SETTINGS_HEADER_TABLE_SIZE, which this client does not change. */
const maxTableBytes = 4_096;
/** The number of octets after the prefix of an integer: up to 28 bits, far more than a block, an index or a table can have. */
const maxIntegerBytes = 4;
const noBytes = Buffer.alloc(0);

const staticFields: readonly HeaderField[] = staticTable.map(([name, value]) => ({ name, value }));

/** Decodes the header blocks of one connection (RFC 7541). Each error ends the connection, because the table would be wrong afterwards. */
export class HpackDecoder {
  readonly #table = new DynamicTable(maxTableBytes);
  #block: Buffer = noBytes;
  #at = 0;

  /** Decodes a whole block. @throws Http2Error `COMPRESSION_ERROR` */
  decode(block: Buffer, sink: FieldSink): void {
    this.#block = block;
    this.#at = 0;
    try {
      let mayResize = true;
      while (this.#at < block.length) mayResize = this.#next(sink, mayResize);
    } finally {
      /* Between two blocks, nothing of the memory of the connection is kept. */
      this.#block = noBytes;
    }
  }

  /** Decodes one instruction (RFC 7541, 6). Returns whether the next one may change the size of the table. */
  #next(sink: FieldSink, mayResize: boolean): boolean {
    const first = this.#block[this.#at] ?? 0;
    if (first >= 0x80) {
      const { name, value } = this.#indexed(this.#integer(7));
      sink.field(name, value);
      return false;
    }
    if (first >= 0x20 && first < 0x40) {
      if (!mayResize) throw invalid('the size of the table changes within a block');
      const maxBytes = this.#integer(5);
      if (maxBytes > maxTableBytes) throw invalid('the table is larger than permitted');
      this.#table.resize(maxBytes);
      return true;
    }
    const isAdded = first >= 0x40;
    const index = this.#integer(isAdded ? 6 : 4);
    const name = index === 0 ? this.#string() : this.#indexed(index).name;
    const value = this.#string();
    if (isAdded) this.#table.add({ name, value });
    sink.field(name, value);
    return false;
  }

  #indexed(index: number): HeaderField {
    const field = staticFields[index - 1] ?? this.#table.at(index - staticFields.length);
    if (field === undefined) throw invalid('an index is not in the table');
    return field;
  }

  /** Decodes an integer (RFC 7541, 5.1). @param bits of the first octet that belong to it */
  #integer(bits: number): number {
    const mask = (1 << bits) - 1;
    const prefix = this.#octet() & mask;
    if (prefix < mask) return prefix;
    let value = prefix;
    for (let octets = 0; octets < maxIntegerBytes; octets++) {
      const octet = this.#octet();
      value += (octet & 0x7f) << (7 * octets);
      if (octet < 0x80) return value;
    }
    throw invalid('an integer is too large');
  }

  /** Decodes a string (RFC 7541, 5.2). */
  #string(): string {
    const isCompressed = ((this.#block[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const start = this.#at;
    const end = start + length;
    if (end > this.#block.length) throw invalid('a string is longer than its block');
    this.#at = end;
    return isCompressed
      ? decodeHuffman(this.#block.subarray(start, end))
      : this.#block.toString('latin1', start, end);
  }

  #octet(): number {
    const octet = this.#block[this.#at++];
    if (octet === undefined) throw invalid('a block ends early');
    return octet;
  }
}

function invalid(message: string): Http2Error {
  return new Http2Error('COMPRESSION_ERROR', message);
}
