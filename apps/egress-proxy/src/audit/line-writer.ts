import { writeSync } from 'node:fs';
import { delay, type Clock } from '@interlock/base';

/** The output of lines: a stream that reports how much data it has not sent yet. */
interface LineSink {
  readonly writableLength: number;
  /** @param onWritten called when the text and everything before it was written, or with an error */
  write(text: string, onWritten: (error?: Error | null) => void): unknown;
}

const flushMs = 100;
const flushBytes = 32 * 1024;
const maxUnsentBytes = 512 * 1024;
const lastMs = 2_000;

/**
 * Writes lines in batches. If the output is not read, lines are dropped and counted rather than kept, so that they do not take memory
 * from the tunnels.
 */
export class LineWriter {
  readonly #sink: LineSink;
  readonly #clock: Clock;
  #batch = '';
  #lines = 0;
  #timer: { cancel(): void } | undefined;
  #dropped = 0;

  constructor(sink: LineSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Lines that were dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Writes a line, without its line break, within 100 ms. */
  write(line: string): void {
    if (this.#sink.writableLength > maxUnsentBytes) {
      this.#dropped += 1;
      return;
    }
    this.#batch += `${line}\n`;
    this.#lines += 1;
    if (this.#batch.length >= flushBytes) this.flush();
    else this.#timer ??= this.#clock.setTimeout(() => this.flush(), flushMs);
  }

  /** Writes the current batch. */
  flush(onWritten: () => void = () => undefined): void {
    const { batch, lines } = this.#take();
    this.#sink.write(batch, (error) => {
      if (error) this.#dropped += lines;
      onWritten();
    });
  }

  /** Writes the current batch. Resolves when the output has taken all lines, or does not take them in time. */
  async finish(): Promise<void> {
    const written = new AbortController();
    this.flush(() => written.abort());
    await delay(this.#clock, lastMs, written.signal);
  }

  /** Writes the current batch synchronously, for the end of the process. */
  flushNow(fileDescriptor: number): void {
    const { batch } = this.#take();
    try {
      if (batch !== '') writeSync(fileDescriptor, batch);
    } catch {
      /* The output is closed, or its buffer is full. */
    }
  }

  #take(): { batch: string; lines: number } {
    this.#timer?.cancel();
    this.#timer = undefined;
    const taken = { batch: this.#batch, lines: this.#lines };
    this.#batch = '';
    this.#lines = 0;
    return taken;
  }
}
