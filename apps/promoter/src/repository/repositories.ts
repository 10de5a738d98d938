import { isTyped, keyString, TypedError, type ObjectKey } from '@interlock/api';
import type { Git, Mirror } from '@interlock/git';
import type { RepositoryResolver, ScmRepository } from '@interlock/scm';
import type { Refs } from '../promotion/facts.js';
import type { Problem } from '../promotion/model.js';

/** A repository as it was when last looked at. */
export interface RepositoryView {
  scm: ScmRepository;
  /** Name of the SCM plugin. */
  plugin: string;
  mirror: Mirror;
  refs: Refs;
}

/**
 * The repositories that this process looks at. What is kept is a cache: the remote, the mirror and the resources give
 * it again after a restart.
 */
export class Repositories {
  private readonly views = new Map<string, RepositoryView>();
  private readonly problems = new Map<string, Problem>();

  constructor(
    private readonly resolver: RepositoryResolver,
    private readonly git: Git,
    /** The refs that somebody looks at. */
    private readonly wanted: (key: ObjectKey) => readonly string[],
    /** Told whenever a look, by whomever, found something else than the one before. */
    private readonly moved: (key: ObjectKey) => void,
  ) {}

  /** @returns the view of the last refresh, or why there is none. */
  view(key: ObjectKey): RepositoryView | Problem {
    const name = keyString(key);
    return (
      this.problems.get(name) ??
      this.views.get(name) ?? {
        reason: 'RepositoryNotRead',
        message: `spec.repoRef.name: GitRepository ${name} has not been read yet; it may not exist`,
      }
    );
  }

  /**
   * Looks at the remote: one `ls-remote`, and one fetch if a ref moved.
   * @throws TypedError when the repository cannot be reached; the problem is then what {@link view} returns.
   */
  async refresh(key: ObjectKey, signal: AbortSignal): Promise<RepositoryView> {
    const name = keyString(key);
    try {
      const { repository, plugin } = await this.resolver.resolve(key);
      const mirror = this.git.mirror({
        url: repository.cloneUrl,
        tenant: name,
        credentials: () => repository.gitCredentials(),
      });
      const wanted = this.wanted(key);
      const refs =
        wanted.length === 0 ? new Map<string, string>() : (await mirror.refresh(wanted, { signal })).refs;
      const view = { scm: repository, plugin, mirror, refs };
      const changed = this.problems.delete(name) || !sameRefs(this.views.get(name)?.refs, refs);
      this.views.set(name, view);
      if (changed) this.moved(key);
      return view;
    } catch (error) {
      if (isTyped(error) && error.type !== 'Transient' && error.type !== 'RateLimited') {
        this.problems.set(name, { reason: error.reason, message: error.message });
      }
      throw error;
    }
  }

  forget(key: ObjectKey): void {
    this.views.delete(keyString(key));
    this.problems.delete(keyString(key));
  }
}

export function isView(view: RepositoryView | Problem): view is RepositoryView {
  return 'mirror' in view;
}

/** @returns the view. @throws TypedError `NotFound` when there is none; the resource is reconciled again when there is. */
export function requireView(view: RepositoryView | Problem): RepositoryView {
  if (isView(view)) return view;
  throw new TypedError('NotFound', view.message, { reason: view.reason });
}

function sameRefs(before: Refs | undefined, now: Refs): boolean {
  return before?.size === now.size && [...now].every(([ref, sha]) => before.get(ref) === sha);
}
