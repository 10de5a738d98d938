import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../object.js';
import { Entry, type StoreEvent } from './entry.js';
import type { Journal, Store } from './store.js';

interface SnapshotHead {
  revision: number;
  entries: number;
}
interface JournalRecord {
  revision: number;
  collection: string;
  key: string;
  /** Absent in the record of a deletion. */
  object?: KubeObject;
}

const syncIntervalMs = 1000;

interface JournalOptions {
  /** Number of records after which a new snapshot is written and the log is truncated. Default: 20,000. */
  snapshotEvery?: number;
}

/**
 * Loads the state kept in a folder into the store and keeps every later change there: `snapshot.ndjson` (a head line,
 * then one line per object) and `log.ndjson` (one line per later change).
 *
 * A change is passed to the kernel before its request is answered, so nothing acknowledged is lost when the process is
 * killed. The log is fsynced at most once a second and on close, so a power failure can lose the last second. A
 * snapshot is fsynced before it replaces the old snapshot. A torn last line, left by a kill, is cut off on load. Throws
 * when a file cannot be read or written, or a line other than the last is damaged.
 */
export function openJournal(folder: string, store: Store, options: JournalOptions = {}): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const snapshotFile = join(folder, 'snapshot.ndjson');
  const logFile = join(folder, 'log.ndjson');
  const loaded = loadSnapshot(snapshotFile, store);
  const log = openSync(logFile, 'a+', 0o600);
  ftruncateSync(log, replayLog(logFile, store, loaded));
  store.attach(new FileJournal(store, log, snapshotFile, options.snapshotEvery ?? 20_000));
}

class FileJournal implements Journal {
  #records = 0;
  #unsynced = false;
  readonly #timer: NodeJS.Timeout;

  readonly #store: Store;
  readonly #log: number;
  readonly #snapshotFile: string;
  readonly #snapshotEvery: number;

  constructor(store: Store, log: number, snapshotFile: string, snapshotEvery: number) {
    this.#store = store;
    this.#log = log;
    this.#snapshotFile = snapshotFile;
    this.#snapshotEvery = snapshotEvery;

    this.#timer = setInterval(() => {
      this.#sync();
    }, syncIntervalMs).unref();
  }

  append({ type, revision, entry }: StoreEvent): void {
    if (this.#records >= this.#snapshotEvery) this.#snapshot();
    const place = { revision, collection: entry.collection, key: entry.key };
    const object = type === 'DELETED' ? '' : `,"object":${objectText(entry)}`;
    writeSync(this.#log, `${JSON.stringify(place).slice(0, -1)}${object}}\n`);
    this.#records += 1;
    this.#unsynced = true;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#snapshot();
    closeSync(this.#log);
  }

  #sync(): void {
    if (!this.#unsynced) return;
    this.#unsynced = false;
    fdatasync(this.#log, (error) => {
      if (error !== null) this.#unsynced = true;
    });
  }

  /** Writes the state before the change that is being appended, then empties the log. */
  #snapshot(): void {
    const draft = `${this.#snapshotFile}.new`;
    const file = openSync(draft, 'w', 0o600);
    const entries = this.#store.collectionNames().flatMap((name) => this.#store.entries(name));
    const head: SnapshotHead = { revision: this.#store.revision, entries: entries.length };
    writeSync(file, `${JSON.stringify(head)}\n`);
    for (const entry of entries) {
      const { revision, collection, key } = entry;
      const place = JSON.stringify({ revision, collection, key }).slice(0, -1);
      writeSync(file, `${place},"object":${objectText(entry)}}\n`);
    }
    fdatasyncSync(file);
    closeSync(file);
    renameSync(draft, this.#snapshotFile);
    ftruncateSync(this.#log, 0);
    this.#records = 0;
  }
}

function objectText(entry: Entry): string {
  const { apiVersion, kind } = entry.object;
  return `${JSON.stringify({ apiVersion, kind }).slice(0, -1)},${entry.body.slice(1)}`;
}

/** Returns the snapshot's revision, or 0 if there is no snapshot. */
function loadSnapshot(file: string, store: Store): number {
  if (!existsSync(file)) return 0;
  const [first = '', ...lines] = readFileSync(file, 'utf8').split('\n');
  const head = JSON.parse(first) as SnapshotHead;
  const entries = lines.slice(0, head.entries).map((line) => {
    const { collection, key, revision, object } = JSON.parse(line) as Required<JournalRecord>;
    return new Entry(collection, key, revision, object);
  });
  if (entries.length !== head.entries) throw new Error(`${file} is cut short`);
  store.load(entries, head.revision);
  return head.revision;
}

/** Returns the number of bytes of complete lines in the log. */
function replayLog(file: string, store: Store, loaded: number): number {
  const content = readFileSync(file);
  const whole = content.lastIndexOf(0x0a) + 1;
  for (const line of content.subarray(0, whole).toString('utf8').split('\n')) {
    if (line === '') continue;
    const { collection, key, revision, object } = JSON.parse(line) as JournalRecord;
    if (revision > loaded) {
      store.replay(object === undefined ? 'DELETE' : 'PUT', collection, key, revision, object);
    }
  }
  return whole;
}
