import type { Writable } from 'node:stream';
import type { Clock } from '@interlock/base';
import { errorCode } from './misconfigured.js';

/** The variable with which users give a slow runner more time; its own listener reads it as well. */
const timeoutVariable = 'GITHUB_ACTIONS_RUNNER_CHANNEL_TIMEOUT';
const leastSeconds = 30;
const mostSeconds = 300;

/** Returns the timeout of a frame in milliseconds: as the environment sets it, from 30 seconds, the default, to five minutes. */
export function channelTimeoutMs(env: NodeJS.ProcessEnv): number {
  const text = env[timeoutVariable]?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : leastSeconds;
  return Math.min(Math.max(seconds, leastSeconds), mostSeconds) * 1000;
}

/** A frame could not be delivered to the runner. */
class ChannelError extends Error {}

/** The pipe from which the runner reads its frames. Frames are written one after another. */
export class RunnerChannel {
  readonly #output: Writable;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #last: Promise<void> = Promise.resolve();

  constructor(output: Writable, clock: Clock, timeoutMs: number) {
    this.#output = output;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    /* A write reports its error to its caller. */
    output.on('error', () => undefined);
  }

  /**
   * Writes a frame; resolves when the last chunk has left this process. Each chunk waits for the previous one, so the
   * frame is never in memory as a whole.
   *
   * @param beforeLast runs before the last chunk is written, without which the frame cannot be read; if it throws, the frame ends
   *   there
   * @throws ChannelError when the runner has closed the pipe, or does not read the frame in time
   */
  send(chunks: Iterable<Buffer>, beforeLast?: () => void): Promise<void> {
    const sent = this.#last.then(() => this.#send(chunks, beforeLast));
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  async #send(chunks: Iterable<Buffer>, beforeLast: (() => void) | undefined): Promise<void> {
    let expire: () => void = () => undefined;
    const expired = new Promise<never>((_resolve, reject) => {
      expire = () =>
        reject(new ChannelError(`the runner did not read its message within ${this.#timeoutMs / 1000} s`));
    });
    const timer = this.#clock.setTimeout(() => {
      expire();
      this.#output.destroy();
    }, this.#timeoutMs);
    try {
      let held: Buffer | undefined;
      for (const chunk of chunks) {
        if (held !== undefined) await Promise.race([this.#write(held), expired]);
        held = chunk;
      }
      beforeLast?.();
      if (held !== undefined) await Promise.race([this.#write(held), expired]);
    } finally {
      timer.cancel();
    }
  }

  #write(chunk: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(chunk, (error) => {
        if (!error) resolve();
        else reject(new ChannelError(`the runner has closed its pipe (${errorCode(error)})`));
      });
    });
  }
}
