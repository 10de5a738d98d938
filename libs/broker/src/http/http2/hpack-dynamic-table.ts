export interface HeaderField {
  name: string;
  value: string;
}

/** The size that an entry has in addition to its octets (RFC 7541, 4.1). */
export const entryOverhead = 32;

/** The dynamic table of a decoder (RFC 7541, 2.3.2): the newest entry has the index 1. */
export class DynamicTable {
  /** The oldest entry is the first. */
  readonly #entries: HeaderField[] = [];
  #bytes = 0;
  #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The size of the entries (RFC 7541, 4.1). */
  get bytes(): number {
    return this.#bytes;
  }

  at(index: number): HeaderField | undefined {
    return this.#entries[this.#entries.length - index];
  }

  /** Adds an entry, and evicts older ones to make room. An entry that is larger than the table only empties it. */
  add(field: HeaderField): void {
    const bytes = sizeOf(field);
    this.#evict(this.#maxBytes - bytes);
    if (bytes > this.#maxBytes) return;
    this.#entries.push(field);
    this.#bytes += bytes;
  }

  resize(maxBytes: number): void {
    this.#maxBytes = maxBytes;
    this.#evict(maxBytes);
  }

  #evict(room: number): void {
    while (this.#bytes > room) {
      const oldest = this.#entries.shift();
      if (oldest === undefined) return;
      this.#bytes -= sizeOf(oldest);
    }
  }
}

function sizeOf({ name, value }: HeaderField): number {
  return name.length + value.length + entryOverhead;
}
