/** The memory that git processes may use at the same time; bytes. */
interface MemoryShare {
  /** Memory of the one largest process. */
  largest: number;
  /** Memory of each other short-lived process. */
  usual: number;
  /** Memory of each process that reads objects and stays open between requests. */
  reader: number;
}

/** Short-lived git processes at the same time, besides the largest. */
export const defaultMaxProcesses = 8;
/** Processes that stay open between requests. */
export const maxReaders = 16;

/**
 * Divides memory so that the usual processes together, and the readers together, take no more than the largest process. Most
 * repositories need only a small part of the memory of a large one.
 */
export function shareMemory(largest: number): MemoryShare {
  return {
    largest,
    usual: Math.floor(largest / defaultMaxProcesses),
    reader: Math.floor(largest / maxReaders),
  };
}

/**
 * Returns the maximum memory in bytes of all git processes together if the largest may use `maxProcessBytes`. Of the
 * processes of a command, it counts only the process that holds objects; the others only pass data.
 */
export function gitMemoryBytes(maxProcessBytes: number): number {
  const { largest, usual, reader } = shareMemory(maxProcessBytes);
  return largest + defaultMaxProcesses * usual + maxReaders * reader;
}
