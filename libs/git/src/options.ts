import type { Registry } from 'prom-client';
import type { Transport } from './names.js';

/** The part of a pino logger that is used here. */
export interface GitLogger {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Milliseconds until an operation is aborted. */
export interface GitTimeouts {
  /** For processes that do not need the remote, and for each answer of long-lived processes. Default: 60,000. */
  local: number;
  /** For reading the references of the remote, with or without a process. Default: 30,000. */
  lsRemote: number;
  /** For a fetch; the first fetch of a large repository takes the longest. Default: 600,000. */
  fetch: number;
  /** For a push. Default: 120,000. */
  push: number;
}

export interface GitOptions {
  /** Absolute folder of the mirrors; it belongs to one process at a time and may be emptied at any time. */
  cacheDir: string;
  /** Upper bound of all mirrors together, in bytes on disk; the least recently used are deleted. Default: 10 GiB. */
  maxBytes?: number;
  /** Upper bound of one mirror, in bytes on disk; a fetch that would exceed it is ended. Default: 2 GiB. */
  maxMirrorBytes?: number;
  /**
   * Memory of the largest git process, in bytes; it needs prlimit(1) of util-linux. Only one process at a time may use that
   * much, and each of the others an eighth of it or less ({@link gitMemoryBytes}). Default: 256 MiB.
   */
  maxProcessBytes?: number;
  /** The git program, 2.38 or newer. Default: `git`. */
  gitPath?: string | undefined;
  /** Which URLs are accepted. Default: https only. */
  transports?: readonly Transport[];
  /**
   * Maximum number of git processes at the same time, not counting the long-lived readers and the largest process; at
   * most half of them for one owner. Default: 8.
   */
  maxProcesses?: number;
  /**
   * Milliseconds after which a process that uses a remote is stopped when another owner needs its place, and repeated
   * later. Default: 30,000.
   */
  preemptAfterMs?: number;
  /** Bytes of objects kept in memory for all mirrors together. Default: 64 MiB. */
  maxMemoryBytes?: number;
  /** Milliseconds without a request after which a mirror's reader process ends. Default: 60,000. */
  readerIdleMs?: number;
  /** Number of packs in a mirror (every fetch adds one) above which they are repacked. Default: 64. */
  maxPacks?: number;
  timeoutsMs?: Partial<GitTimeouts>;
  log?: GitLogger;
  /** Where `git_operations_total`, `git_operations_duration_seconds` and `git_processes_total` are registered. */
  metrics?: Registry;
  /**
   * Variables added to every git process, such as `GIT_SSH_COMMAND`; with any of them, every request to a remote uses a
   * process.
   */
  env?: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch; default: `Date.now`. */
  now?: () => number;
  /** Returns the bytes that are free on the disk of `cacheDir`; default: as the system reports. */
  freeBytes?: () => Promise<number>;
}

export const defaultMaxMirrorBytes = 2 * 1024 ** 3;
export const defaultMaxProcessBytes = 256 * 1024 ** 2;

export const defaultPreemptAfterMs = 30_000;

export const defaultTimeouts: GitTimeouts = {
  local: 60_000,
  lsRemote: 30_000,
  fetch: 600_000,
  push: 120_000,
};
