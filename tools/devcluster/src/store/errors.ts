/** The object already exists. */
export class ExistsError extends Error {
  override readonly name = 'ExistsError';
}

/** The object changed since it was read, or was deleted. */
export class RevisionError extends Error {
  override readonly name = 'RevisionError';
}

/** The requested revision is older than the history. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';

  constructor(
    readonly wanted: number,
    /** The oldest revision that can still be continued from. */
    readonly oldest: number,
  ) {
    super(`too old resource version: ${String(wanted)} (${String(oldest)})`);
  }
}
