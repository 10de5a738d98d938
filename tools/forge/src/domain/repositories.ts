import { createBareRepository, deleteBareRepository, type RepositorySource } from '../git/create.js';
import type { Actor } from './accounts.js';
import { maySee } from './access.js';
import { sameName, type Core } from './core.js';
import type { Account, Repository, Role } from './model.js';
import { Refusal } from './refusal.js';

interface NewRepository {
  owner: Account;
  name: string;
  defaultBranch: string;
  description?: string | undefined;
  from?: RepositorySource | undefined;
}

/** Pattern of repository names, so that a name is always a single segment of a path. */
const safeName = /^(?!\.)(?!.*\.git$)[A-Za-z0-9._-]{1,100}$/;
/** Returns whether an owner has a valid name. Owners can be nested groups, as at GitLab, which allows 20 levels. */
const isSafeOwner = (login: string): boolean => {
  const groups = login.split('/');
  return groups.length <= 20 && groups.every((group) => safeName.test(group));
};

/** The repositories of all owners. */
export class Repositories {
  constructor(readonly core: Core) {}

  find(owner: string, name: string): Repository | undefined {
    return this.core.state.repositories.find(
      (repository) => sameName(repository.name, name) && sameName(this.core.owner(repository).login, owner),
    );
  }

  /** @param path full name, such as `acme/platform/web`. */
  findByPath(path: string): Repository | undefined {
    const slash = path.lastIndexOf('/');
    return this.find(path.slice(0, slash), path.slice(slash + 1));
  }

  /** Returns the repositories that the actor may see, oldest first. */
  visibleTo(actor: Actor): Repository[] {
    return this.core.state.repositories.filter((repository) => maySee(actor, repository));
  }

  /** @throws Refusal `AlreadyExists`; GitError when the source cannot be cloned, after removing everything. */
  async create(wanted: NewRepository): Promise<Repository> {
    const { owner, name, defaultBranch, description = '', from } = wanted;
    if (!safeName.test(name) || !isSafeOwner(owner.login)) {
      throw new RangeError(`not a valid name of a repository: ${owner.login}/${name}`);
    }
    if (this.find(owner.login, name) !== undefined) {
      throw new Refusal({ code: 'AlreadyExists', resource: 'Repository', field: 'name' });
    }
    const at = this.core.now();
    const repository: Repository = {
      id: this.core.nextId(),
      ownerId: owner.id,
      name,
      description,
      defaultBranch,
      archived: false,
      mergeMethods: ['merge', 'squash', 'rebase'],
      deleteBranchOnMerge: false,
      createdAt: at,
      updatedAt: at,
      pushedAt: at,
      collaborators: [],
      refs: {},
      lastNumber: 0,
      pulls: [],
      labels: [],
      comments: [],
      statuses: [],
      checkSuites: [],
      checkRuns: [],
      protections: {},
      hooks: [],
    };
    const path = this.core.pathOf(repository);
    try {
      await createBareRepository(path, { defaultBranch, from });
      repository.refs = Object.fromEntries(this.core.git(repository).refs());
    } catch (error) {
      await deleteBareRepository(path);
      throw error;
    }
    this.core.state.repositories.push(repository);
    return repository;
  }

  /** Grants a role to a user, in place of the previous one. */
  grant(repository: Repository, account: Account, role: Role): void {
    repository.collaborators = [
      ...repository.collaborators.filter(({ accountId }) => accountId !== account.id),
      { accountId: account.id, role },
    ];
  }
}
