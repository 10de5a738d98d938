import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isTyped, TypedError } from '@interlock/api';
import { repositoryTooLarge } from '../process/failure.js';

const watchEveryMs = 500;
/* A mirror needs some files whatever its size. */
const minFreeFiles = 1_000;

/** Returns the bytes of all files in a folder; 0 if it does not exist. */
export async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(directory, name)).catch(() => undefined))?.size ?? 0;
  return bytes;
}

/** Returns the bytes that are free on the disk of a folder; 0 if they are unknown, or if few files can be created. */
export async function freeBytesOf(directory: string): Promise<number> {
  const disk = await statfs(directory).catch(() => undefined);
  if (disk === undefined || (disk.files > 0 && disk.ffree < minFreeFiles)) return 0;
  return disk.bavail * disk.bsize;
}

/**
 * Runs `task` with a signal that aborts when a folder grows beyond `maxBytes`.
 * @throws TypedError `Invalid` (`RepositoryTooLarge`).
 */
export async function withinSize<T>(
  directory: string,
  maxBytes: number,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const tooLarge = new AbortController();
  let isMeasuring = false;
  const measure = async () => {
    if (isMeasuring) return;
    isMeasuring = true;
    if ((await sizeOf(directory)) > maxBytes) tooLarge.abort(tooLargeError(maxBytes));
    isMeasuring = false;
  };
  const timer = setInterval(() => void measure(), watchEveryMs);
  try {
    return await task(tooLarge.signal);
  } catch (error) {
    // A process that is killed at its file size limit does not report the reason.
    if (isTyped(error) && (await sizeOf(directory)) >= maxBytes) throw tooLargeError(maxBytes);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Returns the error for a repository that exceeds its bound. */
function tooLargeError(maxBytes: number): TypedError {
  const message = `the repository needs more than the ${maxBytes} bytes that its mirror may use on disk; raise the limit of the cache, or reduce its history`;
  return new TypedError('Invalid', message, { reason: repositoryTooLarge });
}
