/** Takes bytes of a connection, and keeps none of them: the next bytes of any connection overwrite them. */
type TakeBytes = (bytes: Buffer) => void;

/**
 * Passes the bytes that a connection receives to its reader. Holds those that arrive before the reader is known, which are few: the
 * protocol of a connection, and so its reader, is known before the next turn of the event loop.
 */
export class ReceivedBytes {
  #early: Buffer[] | undefined;
  #reader: TakeBytes | undefined;

  /** Called with the bytes of the connection. */
  readonly take: TakeBytes = (bytes) => {
    if (this.#reader !== undefined) this.#reader(bytes);
    else (this.#early ??= []).push(Buffer.from(bytes));
  };

  /** Passes on the bytes so far and all later ones. */
  readBy(reader: TakeBytes): void {
    this.#reader = reader;
    for (const bytes of this.#early ?? []) reader(bytes);
    this.#early = undefined;
  }
}
