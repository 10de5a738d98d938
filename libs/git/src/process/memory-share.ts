/** What git processes may use at the same time; bytes. */
export interface MemoryShare {
  /** Of the one process that may use most. */
  largest: number;
  /** Of each other process that is meant to end. */
  usual: number;
  /** Of each process that reads objects and stays open between questions. */
  reader: number;
}

/** Git processes at the same time that are meant to end, besides the largest. */
export const defaultMaxProcesses = 8;
/** Processes that stay open between questions. */
export const maxReaders = 16;

/**
 * Divides memory so that the usual processes together, and the readers together, take no more than the largest process by
 * itself. Most repositories are served by a small part of what a large one needs.
 */
export function shareMemory(largest: number): MemoryShare {
  return {
    largest,
    usual: Math.floor(largest / defaultMaxProcesses),
    reader: Math.floor(largest / maxReaders),
  };
}

/**
 * Returns the bytes that all git processes together use at most when the largest may use `maxProcessBytes`. Of the processes
 * that one command starts it counts the one that holds objects; the others pass data on.
 */
export function gitMemoryBytes(maxProcessBytes: number): number {
  const { largest, usual, reader } = shareMemory(maxProcessBytes);
  return largest + defaultMaxProcesses * usual + maxReaders * reader;
}
