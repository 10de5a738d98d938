import { isTyped, TypedError } from '@interlock/api';
import { quoted, type FileState, type Operation } from '@interlock/responding';
import { readFile, type ReadFile, type RepositoryContents, type TreeEntry } from '@interlock/scm';

/** Bounds of each file, and of all files together; bytes. Several attempts for one repository are made at the same time. */
const maxFileBytes = 4_000_000;
const maxBytes = 16_000_000;

/** The files of a repository at one commit. Nothing is read twice. */
export class Snapshot {
  readonly #folders = new Map<string, Promise<TreeEntry[] | undefined>>();
  readonly #files = new Map<string, Promise<ReadFile | undefined>>();
  #bytes = 0;

  constructor(
    readonly contents: Pick<RepositoryContents, 'listFiles' | 'listFolder' | 'readBlob'>,
    readonly commit: string,
    readonly signal: AbortSignal,
  ) {}

  /** @throws TypedError of `readFile`; `Invalid` with reason `TooLarge` also when all files together are too large. */
  file(path: string): Promise<ReadFile | undefined> {
    return once(this.#files, path, async () => {
      const { signal } = this;
      const file = await readFile(this.#reader, this.commit, path, maxFileBytes, { signal });
      this.#bytes += file?.contents.length ?? 0;
      if (this.#bytes <= maxBytes) return file;
      throw new TypedError('Invalid', `the required files are larger than ${maxBytes} bytes`, {
        reason: 'TooLarge',
      });
    });
  }

  /**
   * Returns the states of files that {@link planChange} reads.
   * @param operations that need the files; editing one requires its text.
   */
  async states(paths: readonly string[], operations: readonly Operation[]): Promise<Map<string, FileState>> {
    const states = new Map<string, FileState>();
    for (const path of paths) states.set(path, await this.#state(path, operations));
    return states;
  }

  async #state(path: string, operations: readonly Operation[]): Promise<FileState> {
    try {
      const file = await this.file(path);
      return file && { text: textOf(path, file.contents, isEdited(path, operations)) };
    } catch (error) {
      if (isTyped(error, 'Invalid') && error.reason === 'SymbolicLink')
        return { text: '', symbolicLink: true };
      throw error;
    }
  }

  readonly #reader = {
    listFolder: (commit: string, folder: string) =>
      once(this.#folders, folder, () => this.contents.listFolder(commit, folder, { signal: this.signal })),
    readBlob: (...args: Parameters<RepositoryContents['readBlob']>) => this.contents.readBlob(...args),
  };
}

function isEdited(path: string, operations: readonly Operation[]): boolean {
  return !operations.some(
    ({ op, path: own }) => own === path && (op === 'file.write' || op === 'file.delete'),
  );
}

/** @throws TypedError `Invalid` with reason `NotText` for a file to edit that is not UTF-8. */
export function textOf(path: string, contents: Buffer, isStrict = true): string {
  try {
    return new TextDecoder('utf-8', { fatal: isStrict, ignoreBOM: true }).decode(contents);
  } catch {
    throw new TypedError('Invalid', `${quoted(path)} is not UTF-8 text, so it cannot be edited`, {
      reason: 'NotText',
    });
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const before = known.get(key);
  if (before !== undefined) return before;
  const reading = read();
  known.set(key, reading);
  return reading;
}
