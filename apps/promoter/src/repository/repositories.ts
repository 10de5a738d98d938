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
import type { RepositoryResolver, ResolvedRepository, ScmRepository } from '@interlock/scm';
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

/** The repositories that this process reads. The state is a cache, which is filled again after a restart. */
export class Repositories {
  readonly #views = new Map<string, RepositoryView>();
  readonly #failures = new Map<string, Problem>();

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
    const name = keyString(key);
    const failure = this.#failures.get(name);
    const view = failure?.transient === false ? undefined : this.#views.get(name);
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
   * Reads the remote: one request for references, and one fetch if a ref moved.
   * @throws TypedError when the repository cannot be reached, naming the field; the problem is then what {@link view}
   *   returns.
   */
  async refresh(key: ObjectKey, signal: AbortSignal): Promise<RepositoryView> {
    const name = keyString(key);
    const { repository, plugin, gitRepository } = await this.#resolve(key);
    try {
      const mirror = this.#git.mirror({
        url: repository.cloneUrl,
        tenant: name,
        owner: key.namespace ?? '',
        credentials: () => repository.gitCredentials(),
        onDisk: repository.onDisk ?? false,
        readOnly: repository.readOnly ?? false,
      });
      const required = this.#requiredRefs(key);
      const refs =
        required.length === 0 ? new Map<string, string>() : (await mirror.refresh(required, { signal })).refs;
      const view = { scm: repository, plugin, mirror, refs, requested: new Set(required) };
      if (this.#views.get(name)?.mirror !== mirror) await this.#git.forget(name, mirror);
      const changed = this.#failures.delete(name) || !isSame(this.#views.get(name), view);
      this.#views.set(name, view);
      if (changed) this.#onChange(key);
      return view;
    } catch (error) {
      if (!isTyped(error)) throw error;
      throw this.#failed(key, explain(gitRepository, error));
    }
  }

  async #resolve(key: ObjectKey): Promise<ResolvedRepository> {
    try {
      return await this.#resolver.resolve(key);
    } catch (error) {
      if (!isTyped(error)) throw error;
      throw this.#failed(key, error);
    }
  }

  /** Remembers why a repository cannot be used. Returns the error. */
  #failed(key: ObjectKey, error: TypedError): TypedError {
    this.#failures.set(keyString(key), problemForDependents(key, error));
    return error;
  }

  /** Returns the host of a repository; undefined if it is not known yet. */
  hostOf(key: ObjectKey): string | undefined {
    return this.#resolver.hostOf(key);
  }

  /** Releases the state of a repository that is no longer used, including its mirror on disk. */
  async forget(key: ObjectKey): Promise<void> {
    this.#views.delete(keyString(key));
    this.#failures.delete(keyString(key));
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

function isSame(before: RepositoryView | undefined, { scm, refs, requested }: RepositoryView): boolean {
  return (
    before?.scm.webUrl() === scm.webUrl() &&
    before.refs.size === refs.size &&
    before.requested.size === requested.size &&
    [...requested].every((ref) => before.requested.has(ref) && before.refs.get(ref) === refs.get(ref))
  );
}
