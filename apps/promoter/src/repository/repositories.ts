import {
  isTyped,
  keyString,
  TypedError,
  type GitRepository,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import type { Git, Mirror } from '@interlock/git';
import type { CacheReader } from '@interlock/kube';
import type { RepositoryResolver, ScmRepository } from '@interlock/scm';
import type { Refs } from '../promotion/hydrated.js';
import { explain, problemForDependents } from './problem.js';

/** The state of a repository at its last read. */
export interface RepositoryView {
  scm: ScmRepository;
  /** Name of the SCM plugin. */
  plugin: string;
  mirror: Mirror;
  refs: Refs;
  /** The refs that were requested. */
  requested: ReadonlySet<string>;
}

const notRead = 'RepositoryNotRead';

/** The refs whose state changed, or `all` if more than refs changed: the remote, its SCM, or whether it can be read. */
export type RepositoryChange = ReadonlySet<string> | 'all';

/** What is known about a repository. */
interface Known {
  view?: RepositoryView;
  /** Why the last refresh failed; undefined if it did not. */
  failure?: Problem | undefined;
  /** The number of the last refresh that is stored here; refreshes are numbered as they begin. */
  stored: number;
}

/** The repositories that this process reads. The state is a cache, which is filled again after a restart. */
export class Repositories {
  readonly #known = new Map<string, Known>();
  #begun = 0;

  readonly #resolver: Pick<RepositoryResolver, 'resolve' | 'hostOf'>;
  readonly #git: Pick<Git, 'mirror' | 'forget'>;
  readonly #gitRepositories: CacheReader<GitRepository>;
  /** Returns the refs that objects depend on. */
  readonly #requiredRefs: (key: ObjectKey) => readonly string[];
  /** Called whenever a read changed what {@link view} returns. */
  readonly #onChange: (key: ObjectKey, change: RepositoryChange) => void;

  constructor(
    resolver: Pick<RepositoryResolver, 'resolve' | 'hostOf'>,
    git: Pick<Git, 'mirror' | 'forget'>,
    gitRepositories: CacheReader<GitRepository>,
    required: (key: ObjectKey) => readonly string[],
    onChange: (key: ObjectKey, change: RepositoryChange) => void,
  ) {
    this.#resolver = resolver;
    this.#git = git;
    this.#gitRepositories = gitRepositories;
    this.#requiredRefs = required;
    this.#onChange = onChange;
  }

  /**
   * Returns the view of the last refresh, which a transient failure does not remove, or why there is none.
   * @param refs refs that must have been requested
   */
  view(key: ObjectKey, refs: readonly string[] = []): OrProblem<RepositoryView> {
    const known = this.#known.get(keyString(key));
    const view = usableView(known);
    if (view !== undefined && refs.every((ref) => view.requested.has(ref))) return view;
    return known?.failure ?? this.#unread(key);
  }

  #unread(key: ObjectKey): Problem {
    const what = `spec.repoRef.name: GitRepository ${keyString(key)}`;
    return this.#gitRepositories.get(key) === undefined
      ? new Problem('GitRepositoryNotFound', `${what} does not exist; create it`, { transient: false })
      : new Problem(notRead, `${what} has not been read yet`);
  }

  /**
   * Reads the remote: one request for references, and one fetch if a ref moved. Returns the view of this refresh, or of one
   * that began later and ended earlier.
   * @throws TypedError when the repository cannot be reached, naming the field; the problem is then what {@link view}
   *   returns.
   */
  async refresh(key: ObjectKey, signal: AbortSignal): Promise<RepositoryView> {
    const name = keyString(key);
    const number = ++this.#begun;
    const known = this.#known.get(name) ?? { stored: 0 };
    this.#known.set(name, known);
    try {
      const view = await this.#read(key, signal);
      if (number < known.stored) return known.failure === undefined ? (known.view ?? view) : view;
      const before = known.view;
      const change = changeBetween(usableView(known), view);
      Object.assign(known, { view, failure: undefined, stored: number });
      const isForgotten = this.#known.get(name) !== known;
      if (!isForgotten) this.#report(key, change);
      if (isForgotten || before?.mirror !== view.mirror)
        await this.#git.forget(name, this.#known.get(name)?.view?.mirror);
      return view;
    } catch (error) {
      if (isTyped(error) && number > known.stored) {
        const failure = problemForDependents(key, error);
        const change = this.#changeByFailure(key, known, failure);
        Object.assign(known, { failure, stored: number });
        if (this.#known.get(name) === known) this.#report(key, change);
      }
      throw error;
    }
  }

  #report(key: ObjectKey, change: RepositoryChange): void {
    if (change === 'all' || change.size > 0) this.#onChange(key, change);
  }

  /* A remote that fails again and again must not wake all objects each time: most of them keep the view. */
  #changeByFailure(key: ObjectKey, known: Known, failure: Problem): RepositoryChange {
    if (isSameProblem(known.failure, failure)) return new Set();
    const view = failure.transient ? usableView(known) : undefined;
    return view === undefined
      ? 'all'
      : new Set(this.#requiredRefs(key).filter((ref) => !view.requested.has(ref)));
  }

  async #read(key: ObjectKey, signal: AbortSignal): Promise<RepositoryView> {
    const { repository: scm, plugin, gitRepository } = await this.#resolver.resolve(key);
    try {
      const mirror = this.#git.mirror({
        url: scm.cloneUrl,
        tenant: keyString(key),
        owner: key.namespace ?? '',
        credentials: () => scm.gitCredentials(),
        onDisk: scm.onDisk ?? false,
        readOnly: scm.readOnly ?? false,
      });
      const required = this.#requiredRefs(key);
      const refs =
        required.length === 0 ? new Map<string, string>() : (await mirror.refresh(required, { signal })).refs;
      return { scm, plugin, mirror, refs, requested: new Set(required) };
    } catch (error) {
      throw isTyped(error) ? explain(gitRepository, error) : error;
    }
  }

  /** Returns the host of a repository; undefined if it is not known yet. */
  hostOf(key: ObjectKey): string | undefined {
    return this.#resolver.hostOf(key);
  }

  /** Releases the state of a repository that is no longer used, including its mirror on disk. */
  async forget(key: ObjectKey): Promise<void> {
    this.#known.delete(keyString(key));
    await this.#git.forget(keyString(key));
  }
}

/**
 * Returns whether an object's status is current: it was written for this generation, and this process, which may just have
 * started, has not read the repository yet. The object is reconciled again after that read.
 */
export function isStatusCurrent(
  { metadata, status }: KubeObject & { status?: { observedGeneration?: number | undefined } },
  view: OrProblem<RepositoryView>,
): boolean {
  const known = status?.observedGeneration !== undefined && status.observedGeneration === metadata.generation;
  return known && isProblem(view) && view.reason === notRead;
}

/**
 * Returns the view.
 *
 * @throws TypedError `NotFound` when there is none; the resource is reconciled again when there is one.
 */
export function requireView(view: OrProblem<RepositoryView>): RepositoryView {
  if (!isProblem(view)) return view;
  throw new TypedError('NotFound', view.message, { reason: view.reason });
}

/** Returns the view that is in force: a failure that needs a change by a user ends it. */
function usableView(known: Known | undefined): RepositoryView | undefined {
  return known?.failure?.transient === false ? undefined : known?.view;
}

function changeBetween(before: RepositoryView | undefined, after: RepositoryView): RepositoryChange {
  /* A dry run may have the URL of the repository itself. */
  if (before?.plugin !== after.plugin || before.scm.webUrl() !== after.scm.webUrl()) return 'all';
  const refs = [...new Set([...before.requested, ...after.requested])];
  return new Set(
    refs.filter(
      (ref) =>
        before.requested.has(ref) !== after.requested.has(ref) ||
        before.refs.get(ref) !== after.refs.get(ref),
    ),
  );
}

function isSameProblem(before: Problem | undefined, after: Problem): boolean {
  return (
    before?.reason === after.reason &&
    before.message === after.message &&
    before.transient === after.transient
  );
}
