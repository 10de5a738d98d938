/** What takes a slot while its process runs. */
export interface SlotUser {
  /** Whether nothing waits for it. */
  readonly isIdle: boolean;
  close(): void;
}

/** Bounds how many processes stay open between questions: the one that was asked least recently makes room. */
export class ReaderSlots {
  /* In the order of the last question. */
  readonly #open = new Set<SlotUser>();

  constructor(private readonly size: number) {}

  /** Notes a question. Readers that wait for answers are not closed, so that there may be more for a while. */
  use(reader: SlotUser): void {
    this.#open.delete(reader);
    this.#open.add(reader);
    if (this.#open.size <= this.size) return;
    for (const other of this.#open) if (other !== reader && other.isIdle) return other.close();
  }

  closeAll(): void {
    for (const reader of [...this.#open]) reader.close();
  }

  free(reader: SlotUser): void {
    this.#open.delete(reader);
  }
}
