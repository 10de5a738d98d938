import { branchRef, isTyped, TypedError } from '@interlock/api';
import { matchesQuery } from '../query.js';
import type { PullRequestQuery } from '../scm.js';
import { absent, readObjects, readRefs, writeBlob, type RefChange } from './objects.js';
import {
  allPulls,
  closeRef,
  formatRecord,
  openRef,
  parseRecord,
  pullIdOf,
  pullRef,
  type PullRecord,
} from './record.js';
import { settle } from './settle.js';
import type { Commit, LocalStore } from './store.js';

/** The current state of a pull request. */
export interface View {
  id: number;
  record: PullRecord;
  /** The blob to which the reference of the pull request points. */
  blob: string;
  /** Tips of the branches of the pull request; absent if there is no such branch. */
  head: string | undefined;
  base: string | undefined;
  /** The target of {@link openRef}. */
  lock: string | undefined;
}

/**
 * Reads pull requests. The actions of users since the last read are recorded, so that later moves of branches do not hide
 * them.
 */
export class Views {
  readonly #store: LocalStore;

  constructor(store: LocalStore) {
    this.#store = store;
  }

  /** @throws TypedError `NotFound`. */
  async get(id: number, signal?: AbortSignal): Promise<View> {
    const ref = pullRef(id);
    const found = (await readObjects(this.#store.git, [ref], signal)).get(ref);
    if (found === undefined) {
      throw new TypedError('NotFound', `there is no ${ref}`, { reason: 'PullRequestNotFound' });
    }
    return this.#settled(id, found.id, parseRecord(found.content, id), signal);
  }

  /** Returns the next free number, and all pull requests between two branches, oldest first. */
  async find(
    { head, base, state }: PullRequestQuery,
    signal?: AbortSignal,
  ): Promise<{ free: number; views: View[] }> {
    const { git, known } = this.#store;
    const args = ['for-each-ref', '--format=%(refname) %(objectname)', allPulls] as const;
    const refs = (await git.text(args, { signal })).split('\n').flatMap((line) => {
      const [name = '', blob = ''] = line.split(' ');
      const id = pullIdOf(name);
      return id === undefined ? [] : [{ id, blob }];
    });
    const unknown = refs.filter(({ blob }) => !known.has(blob)).map(({ blob }) => blob);
    const read = await readObjects(git, unknown, signal);
    for (const [blob, { content }] of read) known.set(blob, content);

    const views: View[] = [];
    for (const { id, blob } of refs.sort((a, b) => a.id - b.id)) {
      const text = read.get(blob)?.content ?? known.get(blob);
      const record = text === undefined ? undefined : readable(text, id);
      if (record === undefined || !matchesQuery(record, { head, base })) continue;
      if (state === 'open' && record.state !== 'open') continue;
      const view = await this.#settled(id, blob, record, signal);
      if (state === 'all' || view.record.state === 'open') views.push(view);
    }
    return { free: Math.max(0, ...refs.map(({ id }) => id)) + 1, views };
  }

  async #settled(id: number, blob: string, record: PullRecord, signal?: AbortSignal): Promise<View> {
    const { git, context } = this.#store;
    const [head, base] = [branchRef(record.head), branchRef(record.base)];
    const lock = openRef(record.head, record.base);
    const tips = await readRefs(git, [head, base, lock], signal);
    const view = { id, blob, head: tips.get(head), base: tips.get(base), lock: tips.get(lock) };
    if (record.state !== 'open') return { ...view, record };
    const close = (await readObjects(git, [closeRef(id)], signal)).get(closeRef(id));
    const now = await settle(git, record, { ...view, close }, signal);
    if (now === record) return { ...view, record };
    const settled = { ...now, updatedAt: timestamp(context.clock.now()) };
    try {
      const { changes } = await replacing(this.#store, { ...view, record }, settled, signal);
      await this.#store.settled(changes, signal);
    } catch (error) {
      // Another process has recorded it, or will: until then it is derived from the branches again.
      if (!isTyped(error, 'Conflict', 'Transient', 'Unauthorized')) throw error;
    }
    return { ...view, record: settled };
  }
}

/**
 * Returns the changes that replace the record of a pull request; a pull request that is no longer open releases its
 * branches.
 */
export async function replacing(
  store: LocalStore,
  { id, blob, lock, record: before }: View,
  record: PullRecord,
  signal?: AbortSignal,
): Promise<{ blob: string; changes: RefChange[] }> {
  const to = await writeBlob(store.git, formatRecord(record), signal);
  const changes: RefChange[] = [{ ref: pullRef(id), to, from: blob }];
  if (record.state !== 'open' && lock !== undefined) {
    changes.push({ ref: openRef(before.head, before.base), to: undefined, from: lock });
  }
  return { blob: to, changes };
}

/** Creates the record of a new pull request; fails when another process does the same. */
export async function creating(
  store: LocalStore,
  { id, record, lock }: { id: number; record: PullRecord; lock: string | undefined },
  commit: Commit,
  signal?: AbortSignal,
): Promise<string> {
  const blob = await writeBlob(store.git, formatRecord(record), signal);
  await commit([
    { ref: pullRef(id), to: blob, from: absent },
    // The reference of a deleted pull request is taken over.
    { ref: openRef(record.head, record.base), to: blob, from: lock ?? absent },
  ]);
  return blob;
}

/** Returns RFC 3339 in whole seconds. */
export function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

/** Returns a record; undefined for a malformed one, which is not a pull request. A read of it by number fails with the reason. */
function readable(text: string, id: number): PullRecord | undefined {
  try {
    return parseRecord(text, id);
  } catch (error) {
    if (isTyped(error, 'Invalid')) return undefined;
    throw error;
  }
}
