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
  /** Called whenever a read found a change. */
  readonly #onChange: (key: ObjectKey) => void;

  constructor(
    resolver: Pick<RepositoryResolver, 'resolve' | 'hostOf'>,
    git: Pick<Git, 'mirror' | 'forget'>,
    gitRepositories: CacheReader<GitRepository>,
    required: (key: ObjectKey) => readonly string[],
    onChange: (key: ObjectKey) => void,
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
    const failure = known?.failure;
    const view = failure?.transient === false ? undefined : known?.view;
    if (view !== undefined && refs.every((ref) => view.requested.has(ref))) return view;
    return failure ?? this.#unread(key);
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
      const changed = known.failure !== undefined || !isSame(before, view);
      Object.assign(known, { view, failure: undefined, stored: number });
      const isForgotten = this.#known.get(name) !== known;
      if (changed && !isForgotten) this.#onChange(key);
      if (isForgotten || before?.mirror !== view.mirror)
        await this.#git.forget(name, this.#known.get(name)?.view?.mirror);
      return view;
    } catch (error) {
      if (isTyped(error) && number > known.stored)
        Object.assign(known, { failure: problemForDependents(key, error), stored: number });
      throw error;
    }
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

function isSame(
  before: RepositoryView | undefined,
  { plugin, scm, refs, requested }: RepositoryView,
): boolean {
  return (
    /* A dry run may have the URL of the repository itself. */
    before?.plugin === plugin &&
    before.scm.webUrl() === scm.webUrl() &&
    before.refs.size === refs.size &&
    before.requested.size === requested.size &&
    [...requested].every((ref) => before.requested.has(ref) && before.refs.get(ref) === refs.get(ref))
  );
}
