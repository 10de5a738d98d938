import { messageOf } from '@interlock/api';
import { backoffMs, delay, type Clock, type Logger } from '@interlock/base';
import type { Runnable } from '@interlock/kube';
import type { GithubRanges } from '../gateway/observed.js';

interface GithubRangeOptions {
  clock: Clock;
  log: Logger;
  random: () => number;
  /** Reads the networks from GitHub. */
  read: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Networks that are added to those of GitHub. */
  extra: readonly string[];
  /** Called when the networks were read, or when the first attempt failed. */
  onAttempt: () => void;
}

const dayMs = 24 * 60 * 60_000;
const retry = { baseMs: 1_000, maxMs: 30 * 60_000 };

/** The networks of GitHub, which all tenants share. They are read at the start and once a day; the last known networks are kept while GitHub does not answer. */
export class GithubRangeReader implements Runnable {
  readonly name = 'github-ranges';
  readonly #options: GithubRangeOptions;
  #known: GithubRanges | undefined;
  #isAwaited = true;

  constructor(options: GithubRangeOptions) {
    this.#options = options;
  }

  /** Returns the known networks; undefined before the first answer. */
  get known(): GithubRanges | undefined {
    return this.#known;
  }

  /** Whether the first attempt to read the networks is still running. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      failures = (await this.#readOnce(signal)) ? 0 : failures + 1;
      const waitMs = failures === 0 ? dayMs : retry.baseMs + backoffMs(failures, retry, random);
      await delay(clock, waitMs, signal);
    }
  }

  async #readOnce(signal: AbortSignal): Promise<boolean> {
    const { clock, log, read, extra, onAttempt } = this.#options;
    try {
      const ranges = [...new Set([...(await read(signal)), ...extra])];
      this.#known = { ranges, fetchedAt: clock.now() };
      this.#isAwaited = false;
      onAttempt();
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      log.warn({ error: messageOf(error) }, 'the networks of GitHub could not be read');
      if (this.#isAwaited) {
        this.#isAwaited = false;
        onAttempt();
      }
      return false;
    }
  }
}
