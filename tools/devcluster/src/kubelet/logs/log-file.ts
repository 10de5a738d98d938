import { closeSync, existsSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import type { ContainerLog, LogFollower, LogLine } from './container-log.js';

/** Size at which a file is rotated; the previous rotated file is deleted. */
const maxFileBytes = 10 * 1024 * 1024;
/** Longer lines are split. */
const maxPartBytes = 16 * 1024;
const newline = 10;

type Stream = LogLine['stream'];

/** The log of one run in files of the format of the Container Runtime Interface: `<time> <stream> <P|F> <text>`. */
export class LogFile implements ContainerLog {
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #now: () => number;
  readonly #followers = new Set<LogFollower>();
  readonly #pending: Record<Stream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  #file: number | undefined;
  #size = 0;

  /** @param now milliseconds since the epoch. */
  constructor(path: string, now: () => number, maxBytes = maxFileBytes) {
    this.#path = path;
    this.#now = now;
    this.#maxBytes = maxBytes;
    this.#file = openSync(path, 'a', 0o600);
  }

  get isEnded(): boolean {
    return this.#file === undefined;
  }

  /** Appends output of the container. */
  append(stream: Stream, chunk: Buffer): void {
    let rest = this.#pending[stream].length === 0 ? chunk : Buffer.concat([this.#pending[stream], chunk]);
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      this.#write(stream, this.#longParts(stream, rest.subarray(0, end)), false);
      rest = rest.subarray(end + 1);
    }
    rest = this.#longParts(stream, rest);
    this.#pending[stream] = rest;
  }

  /** Ends the log. Output without a line break becomes the last line. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#pending[stream].length > 0) this.#write(stream, this.#pending[stream], true);
    }
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    for (const { onEnd } of this.#followers) onEnd();
    this.#followers.clear();
  }

  lines(): LogLine[] {
    const files = [`${this.#path}.1`, this.#path].filter((path) => existsSync(path));
    return files.flatMap((path) => readFileSync(path, 'latin1').split('\n').flatMap(parsed));
  }

  follow(follower: LogFollower): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** Writes the part of a line that exceeds one entry. Returns the rest. */
  #longParts(stream: Stream, line: Buffer): Buffer {
    let rest = line;
    for (; rest.length > maxPartBytes; rest = rest.subarray(maxPartBytes)) {
      this.#write(stream, rest.subarray(0, maxPartBytes), true);
    }
    return rest;
  }

  #write(stream: Stream, bytes: Buffer, isPartial: boolean): void {
    if (this.#file === undefined) return;
    const time = new Date(this.#now()).toISOString().replace('Z', '000000Z');
    const line: LogLine = { time, stream, isPartial, text: bytes.toString('latin1') };
    const entry = Buffer.from(`${time} ${stream} ${isPartial ? 'P' : 'F'} ${line.text}\n`, 'latin1');
    if (this.#size + entry.length > this.#maxBytes && this.#size > 0) this.#rotate(this.#file);
    writeSync(this.#file, entry);
    this.#size += entry.length;
    for (const { onLine } of this.#followers) onLine(line);
  }

  #rotate(file: number): void {
    closeSync(file);
    renameSync(this.#path, `${this.#path}.1`);
    this.#file = openSync(this.#path, 'a', 0o600);
    this.#size = 0;
  }
}

function parsed(entry: string): LogLine[] {
  const match = /^(\S+) (stdout|stderr) ([PF]) (.*)$/s.exec(entry);
  if (match === null) return [];
  const [, time = '', stream, tag, text = ''] = match;
  return [{ time, stream: stream === 'stderr' ? 'stderr' : 'stdout', isPartial: tag === 'P', text }];
}
