import { writeSync } from 'node:fs';
import type { Clock } from '@interlock/base';

/** The output of lines: a stream that reports how much data it has not sent yet. */
interface LineSink {
  readonly writableLength: number;
  write(text: string): unknown;
}

const flushMs = 100;
const flushBytes = 32 * 1024;
const maxUnsentBytes = 512 * 1024;

/**
 * Writes lines in batches. If the output is not read, lines are dropped and counted rather than kept, so that they do not take memory
 * from the tunnels.
 */
export class LineWriter {
  readonly #sink: LineSink;
  readonly #clock: Clock;
  #batch = '';
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
    if (this.#batch.length >= flushBytes) this.flush();
    else this.#timer ??= this.#clock.setTimeout(() => this.flush(), flushMs);
  }

  /** Writes the current batch. */
  flush(): void {
    const batch = this.#take();
    if (batch !== '') this.#sink.write(batch);
  }

  /** Writes the current batch synchronously, for the end of the process. */
  flushNow(fileDescriptor: number): void {
    const batch = this.#take();
    try {
      if (batch !== '') writeSync(fileDescriptor, batch);
    } catch {
      /* The output is closed, or its buffer is full. */
    }
  }

  #take(): string {
    this.#timer?.cancel();
    this.#timer = undefined;
    const batch = this.#batch;
    this.#batch = '';
    return batch;
  }
}
