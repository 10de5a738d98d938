import { isTyped, TypedError } from '@interlock/api';
import type { BudgetedMap, EntryBudget } from '../objects/entry-budget.js';
import type { Activity } from '../process/activity.js';
import { Batcher } from '../process/batcher.js';
import { Limit } from '../process/limit.js';
import type { Repository } from '../repository.js';
import { Arrivals } from './arrivals.js';
import { fetchIncrement } from './increment.js';
import { listRemoteRefs } from './refs.js';
import { tipRef } from './tips.js';

export interface Refreshed {
  /** Object ids of the requested names; names that the remote does not have are absent. */
  refs: Map<string, string>;
  /** Names that moved, appeared or disappeared since this process last refreshed them (all of them the first time). */
  changed: string[];
}

const fetchArguments = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--recurse-submodules=no',
  '--filter=blob:none',
  '--stdin',
  'origin',
] as const;
/* Objects are requested by id; negotiating the local commits would only cost round trips. */
const withoutNegotiation = [['fetch.negotiationAlgorithm', 'noop']] as const;
const maxGatherMs = 1_000;
const missTtlMs = 60_000;

/** Fetches objects of the remote into the mirror, one fetch at a time. */
export class Sync {
  readonly #refreshes: Batcher<string, Refreshed>;
  readonly #missing: Batcher<string, ReadonlySet<string>>;
  readonly #missingBlobs: Batcher<string, ReadonlySet<string>>;
  readonly #writing = new Limit(1);
  /** Empty if the remote has no such reference. */
  readonly #seen: BudgetedMap<string>;
  readonly #arrivals: Arrivals;
  /** Until when a commit counts as absent, by `performance.now()`. */
  readonly #misses: BudgetedMap<number>;

  readonly #repository: Repository;

  constructor(repository: Repository, reads: Activity, memory: EntryBudget) {
    this.#repository = repository;

    this.#seen = memory.map();
    this.#arrivals = new Arrivals(memory.map(), () => repository.generation);
    this.#misses = memory.map();
    this.#refreshes = new Batcher((names, signal) => this.#refreshNow(names, signal));
    const gather = () => reads.rest(maxGatherMs);
    this.#missing = new Batcher((ids, signal) => this.#fetchObjects(ids, signal), gather);
    this.#missingBlobs = new Batcher((ids, signal) => this.#fetchBlobs(ids, signal), gather);
  }

  /**
   * Returns the object ids of `names`, after fetching those that have changed. If none has changed, this sends one request
   * to the remote.
   */
  async refresh(names: readonly string[], signal?: AbortSignal): Promise<Refreshed> {
    const { refs, changed } = await this.#refreshes.call(names, signal);
    const wanted = new Set(names);
    return {
      refs: new Map([...refs].filter(([name]) => wanted.has(name))),
      changed: changed.filter((name) => wanted.has(name)),
    };
  }

  /**
   * Fetches commits with their history and trees, in one git process, unless all of them exist locally.
   * @param before the probable parents of the commits.
   */
  async fetchCommits(
    ids: Iterable<string>,
    signal?: AbortSignal,
    before: readonly string[] = [],
  ): Promise<void> {
    const unique = new Set(ids);
    await this.#repository.use(
      () =>
        this.#writing.run(async () => {
          const { absent, unknown } = await this.#notFetched(unique);
          if (absent.length === 0) return;
          await this.#fetchTips(absent, before, signal);
          this.#arrivals.fetched(absent, (sha) => unknown.has(sha));
          await this.#repository.maintain(new Set([...absent, ...this.#tips()]), signal);
        }, signal),
      signal,
    );
  }

  async #fetchTips(
    wants: readonly string[],
    before: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const haves = [...new Set([...before, ...this.#tips()])].filter((sha) => this.#arrivals.has(sha));
    const done = await fetchIncrement(this.#repository, { wants, haves }, signal);
    if (done === true) return;
    const input = wants.map((sha) => `+${sha}:${tipRef(sha)}\n`).join('');
    await this.#repository.git({ args: fetchArguments, remote: true, timeout: 'fetch', input, signal });
    if (done !== false) this.#repository.remote.direct.packs.gitAnswered(done);
  }

  /**
   * Runs a git command that needs these commits; if the mirror has lost them, they are fetched and the command is repeated
   * once.
   */
  withCommits<T>(ids: readonly string[], task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#repository.use(async () => {
      try {
        return await task();
      } catch (error) {
        if (!isTyped(error) || error.reason !== 'ObjectNotFound') throw error;
        for (const sha of ids) await this.fetchNamedCommit(sha, signal);
        const { generation } = this.#repository;
        return task().catch((again: unknown) => this.#stillMissing(again, generation));
      }
    }, signal);
  }

  /* It was just fetched. */
  async #stillMissing(error: unknown, generation: number): Promise<never> {
    if (isTyped(error) && error.reason === 'ObjectNotFound') await this.#repository.suspectDamage(generation);
    throw error;
  }

  /** Fetches a named commit. @throws TypedError `NotFound` when the remote does not have it. */
  async fetchNamedCommit(sha: string, signal?: AbortSignal): Promise<void> {
    if ((this.#misses.get(sha) ?? 0) > performance.now()) throw notFound(sha);
    try {
      await this.fetchCommits([sha], signal);
    } catch (error) {
      if (!isTyped(error) || error.reason !== 'ObjectNotFound') throw error;
      this.#misses.set(sha, performance.now() + missTtlMs);
      throw notFound(sha, error);
    }
  }

  /** Fetches a tree or blob; missing objects of all concurrent reads are fetched together. @throws TypedError `NotFound`. */
  async fetchObject(sha: string, isBlob: boolean, signal?: AbortSignal): Promise<void> {
    const absent = await (isBlob ? this.#missingBlobs : this.#missing).call([sha], signal);
    if (absent.has(sha)) throw notFound(sha);
  }

  /** Returns whether a commit is known to have arrived before another commit, which is then not part of its history. */
  cameBefore(sha: string, other: string): boolean {
    return this.#arrivals.cameBefore(sha, other);
  }

  /** Releases the records of reads and fetches, which are rebuilt when needed. */
  forget(): void {
    this.#seen.clear();
    this.#arrivals.clear();
    this.#misses.clear();
  }

  async #refreshNow(names: ReadonlySet<string>, signal: AbortSignal): Promise<Refreshed> {
    let refs = await listRemoteRefs(this.#repository, names, signal);
    try {
      await this.fetchCommits(this.#notKnown(refs), signal, this.#before(refs));
    } catch (error) {
      if (!isTyped(error) || error.reason !== 'ObjectNotFound') throw error;
      // A reference moved between the two requests and its old commit no longer exists: read again.
      refs = await listRemoteRefs(this.#repository, names, signal);
      await this.fetchCommits(this.#notKnown(refs), signal, this.#before(refs));
    }
    const changed = [...names].filter((name) => this.#seen.get(name) !== (refs.get(name) ?? ''));
    for (const name of names) this.#seen.set(name, refs.get(name) ?? '');
    if (changed.length > 0) this.#misses.clear();
    return { refs, changed };
  }

  /** Returns the previous ids of the references that have moved. */
  #before(refs: ReadonlyMap<string, string>): string[] {
    return [...refs].flatMap(([name, sha]) => {
      const seen = this.#seen.get(name);
      return seen === undefined || seen === '' || seen === sha ? [] : [seen];
    });
  }

  #notKnown(refs: ReadonlyMap<string, string>): string[] {
    return [...refs.values()].filter((sha) => !this.#arrivals.has(sha));
  }

  /** Returns the commits that are missing or incomplete locally, and which of them are missing entirely. */
  async #notFetched(ids: Iterable<string>): Promise<{ absent: string[]; unknown: ReadonlySet<string> }> {
    const absent: string[] = [];
    const unknown = new Set<string>();
    for (const sha of ids) {
      if (this.#arrivals.has(sha)) continue;
      const isHere = await this.#repository.exists(sha);
      if (!isHere) unknown.add(sha);
      if (isHere && (await this.#repository.exists(tipRef(sha)))) this.#arrivals.found(sha);
      else absent.push(sha);
    }
    return { absent, unknown };
  }

  #tips(): string[] {
    return this.#seen.values().filter((sha) => sha !== '');
  }

  /** Fetches by HTTP if that is equivalent to git, or else by git. Returns the ids that the remote does not have. */
  async #fetchBlobs(ids: ReadonlySet<string>, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { remote, owner } = this.#repository;
    const { blobs: direct } = remote.direct;
    if (!remote.goesDirect(direct)) return this.#fetchObjects(ids, signal);
    const answer = await direct.fetch(await remote.access(), { ids, owner }, signal);
    if (answer instanceof Map && (await this.#repository.write(answer))) return new Set();
    const absent = await this.#fetchObjects(ids, signal);
    if (typeof answer === 'string' && absent.size === 0) direct.gitAnswered(answer);
    return absent;
  }

  /** Returns the ids that the remote does not have. */
  #fetchObjects(ids: ReadonlySet<string>, signal: AbortSignal): Promise<ReadonlySet<string>> {
    return this.#writing.run(async () => {
      const absent = new Set<string>();
      const wanted = new Set(ids);
      while (wanted.size > 0) {
        const input = [...wanted].map((sha) => `${sha}\n`).join('');
        try {
          await this.#repository.git({
            args: fetchArguments,
            remote: true,
            timeout: 'fetch',
            input,
            settings: withoutNegotiation,
            signal,
          });
          break;
        } catch (error) {
          const refused = refusedObject(error, wanted);
          if (refused === undefined) throw error;
          wanted.delete(refused);
          absent.add(refused);
        }
      }
      await this.#repository.maintain(new Set(this.#tips()), signal);
      return absent;
    }, signal);
  }
}

/* The remote names the first missing object and sends nothing. */
function refusedObject(error: unknown, wanted: ReadonlySet<string>): string | undefined {
  if (!isTyped(error) || error.reason !== 'ObjectNotFound') return undefined;
  const named = /[0-9a-f]{40}/.exec(error.message)?.[0];
  if (named !== undefined && wanted.has(named)) return named;
  return wanted.size === 1 ? [...wanted][0] : undefined;
}

function notFound(sha: string, cause?: unknown): TypedError {
  return new TypedError('NotFound', `the repository has no object ${sha}`, {
    reason: 'ObjectNotFound',
    cause,
  });
}
