import { Writable } from 'node:stream';

/** A pipe that keeps what is written to it. */
export class KeptPipe extends Writable {
  readonly chunks: Buffer[] = [];
  /** Writes that have not returned. */
  #open = 0;
  /** Maximum number of pending writes, including those in the buffer of the stream. */
  mostOpen = 0;

  override write(...args: unknown[]): boolean {
    this.#open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    return (super.write as (...all: unknown[]) => boolean)(...args);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    setImmediate(() => {
      this.#open -= 1;
      done();
    });
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/** Returns a pipe whose reader has stopped: no write returns. */
export function stuckPipe(): Writable {
  return new Writable({ write: () => undefined });
}

/** Returns a pipe whose reader has gone. */
export function closedPipe(): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('x'), { code: 'EPIPE' })),
  });
}
