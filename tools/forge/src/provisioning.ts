import type { Domain } from './domain/domain.js';
import {
  resources,
  type Account,
  type Hook,
  type Permissions,
  type Repository,
  type Role,
} from './domain/model.js';
import { found } from './domain/refusal.js';
import { hookFlags } from './gitlab/present/project.js';
import { within } from './rest/within.js';
import type { Store } from './domain/store.js';
import type { RepositorySource } from './git/create.js';
import type { Hooks } from './hooks/hooks.js';

export interface UserHandle {
  id: number;
  login: string;
  /** A personal access token with all permissions of the user. */
  token: string;
}

interface WebhookOptions {
  url: string;
  secret?: string;
  /** The provider whose payloads and headers it receives; default: GitHub. */
  protocol?: Hook['protocol'];
  /** GitLab only: `whsec_` and 32 bytes in base64 with which deliveries are signed. */
  signingToken?: string;
  /** Default: events of pushes, pull requests and statuses. */
  events?: string[];
}

interface AppOptions {
  /** Login of the account that owns the App and on which it is installed. */
  owner: string;
  name?: string;
  webhook?: WebhookOptions;
  /** Default: write access to everything. */
  permissions?: Permissions;
  /** Names of existing repositories; default: all repositories of the owner, including future ones. */
  repositories?: string[];
}

export interface AppHandle {
  appId: number;
  clientId: string;
  slug: string;
  installationId: number;
  privateKeyPem: string;
}

interface RepositoryOptions {
  /** Login; an organization of that name is created if the account does not exist. */
  owner: string;
  name: string;
  defaultBranch?: string;
  description?: string;
  from?: RepositorySource | undefined;
}

export interface RepositoryHandle {
  id: number;
  owner: string;
  name: string;
  fullName: string;
  /** The bare repository on disk. The forge detects changes in it like pushes. */
  path: string;
  cloneUrl: string;
  htmlUrl: string;
}

interface ProtectionOptions {
  /** Contexts of statuses, or names of check runs, that a merge requires. */
  requiredStatusChecks?: string[];
  /** Whether the head must contain the base. */
  strict?: boolean;
  /** Number of approving reviews that a merge requires; default: none. */
  requiredApprovals?: number;
  /** Whether pull requests are merged only by a queue, as at GitHub. */
  mergeQueue?: boolean;
  /** Whether pushes are refused, so that only pull requests can change the branch. */
  blockPushes?: boolean;
}

const giteaEvents = ['push', 'pull_request', 'pull_request_sync', 'pull_request_label', 'status'];
const hookEvents: Record<Hook['protocol'], string[]> = {
  github: ['push', 'pull_request', 'pull_request_review', 'check_run', 'status'],
  gitlab: Object.values(hookFlags),
  gitea: giteaEvents,
  forgejo: giteaEvents,
};
const writeAll = Object.fromEntries(resources.map((resource) => [resource, 'write'])) as Permissions;

/**
 * Operations that an administrator performs on the web pages of a provider: accounts, Apps, repositories, protections.
 */
export class Provisioning {
  /** The state behind the protocols, for operations that clients cannot perform. */
  readonly domain: Domain;
  readonly hooks: Hooks;
  readonly #store: Store;
  readonly #url: string;

  constructor({ domain, hooks, store, url }: { domain: Domain; hooks: Hooks; store: Store; url: string }) {
    this.domain = domain;
    this.hooks = hooks;
    this.#store = store;
    this.#url = url;
  }

  async createUser(user: { login: string; name?: string; email?: string }): Promise<UserHandle> {
    const account = this.domain.accounts.create({ ...user, type: 'User' });
    const { value: token } = this.domain.accounts.createUserToken(account);
    await this.#store.save();
    return { id: account.id, login: account.login, token };
  }

  async createOrganization(organization: {
    login: string;
    name?: string;
  }): Promise<{ id: number; login: string }> {
    const { id, login } = this.domain.accounts.create({ ...organization, type: 'Organization' });
    await this.#store.save();
    return { id, login };
  }

  /** Creates a GitHub App and installs it on its owner. */
  async createApp(options: AppOptions): Promise<AppHandle> {
    const { name = `${options.owner}-app`, webhook, permissions = writeAll } = options;
    const owner = this.#owner(options.owner);
    const hook = webhook === undefined ? undefined : this.#hook(webhook);
    const events = hook?.events ?? hookEvents.github;
    const { app, privateKeyPem } = await this.domain.accounts.createApp({
      name,
      owner,
      permissions,
      events,
      hook,
    });
    const { installationId } = await this.installApp({ ...options, appId: app.id });
    return { appId: app.id, clientId: app.clientId, slug: app.slug, installationId, privateKeyPem };
  }

  /** Installs an App on another account. */
  async installApp(options: {
    appId: number;
    owner: string;
    repositories?: string[];
  }): Promise<{ installationId: number }> {
    const app = found(this.domain.core.state.apps.find(({ id }) => id === options.appId));
    const owner = this.#owner(options.owner);
    const ids = options.repositories?.map((name) => this.#repository(owner.login, name).id);
    const { id } = this.domain.accounts.install(app, owner, ids);
    await this.#store.save();
    return { installationId: id };
  }

  hasRepository(owner: string, name: string): boolean {
    return this.domain.repositories.find(owner, name) !== undefined;
  }

  /** @throws GitError when the source cannot be cloned. */
  async createRepository(options: RepositoryOptions): Promise<RepositoryHandle> {
    const { owner, name, defaultBranch = 'main', description, from } = options;
    const account = this.#owner(owner);
    const repository = await this.domain.repositories.create({
      owner: account,
      name,
      defaultBranch,
      description,
      from,
    });
    await this.#store.save();
    return this.#handle(repository);
  }

  /** Makes a user a collaborator. @throws Refusal `NotFound`. */
  async grant(options: { owner: string; name: string; login: string; role: Role }): Promise<void> {
    const account = found(this.domain.accounts.find(options.login));
    this.domain.repositories.grant(this.#repository(options.owner, options.name), account, options.role);
    await this.#store.save();
  }

  /** Adds a webhook of one repository. @throws Refusal for a URL that is not on the loopback interface. */
  async createHook(options: WebhookOptions & { owner: string; name: string }): Promise<{ id: number }> {
    const repository = this.#repository(options.owner, options.name);
    const hook = this.#hook(options);
    repository.hooks.push(hook);
    await this.#store.save();
    return { id: hook.id };
  }

  /** Protects a branch. Replaces an existing protection. */
  async protectBranch(
    options: ProtectionOptions & { owner: string; name: string; branch: string },
  ): Promise<void> {
    const { branch, requiredStatusChecks: contexts, strict = false, blockPushes = false } = options;
    const { requiredApprovals, mergeQueue } = options;
    const repository = this.#repository(options.owner, options.name);
    repository.protections[branch] = {
      blockPushes,
      requiredApprovals,
      mergeQueue,
      requiredStatusChecks: contexts === undefined ? undefined : { strict, contexts },
    };
    await this.#store.save();
  }

  /** Changes the given settings of a repository. */
  async configureRepository(options: {
    owner: string;
    name: string;
    /** Whether the head branch of a pull request is deleted when it is merged. */
    deleteBranchOnMerge?: boolean;
    /** Whether merge trains merge the merge requests, as at GitLab. */
    mergeTrains?: boolean;
  }): Promise<void> {
    const { owner, name, ...settings } = options;
    Object.assign(this.#repository(owner, name), settings);
    await this.#store.save();
  }

  /** Approves a pull request as a user. @throws Refusal `NotFound` */
  async approve(options: { owner: string; name: string; number: number; login: string }): Promise<void> {
    const { pulls, accounts } = this.domain;
    const repository = this.#repository(options.owner, options.name);
    const pull = pulls.get(repository, options.number);
    pulls.review(repository, pull, found(accounts.find(options.login)), { state: 'APPROVED', body: '' });
    await this.#store.save();
  }

  /**
   * Merges the first pull request in the merge queue of a branch. @returns its number, or undefined if the queue is
   * empty.
   */
  async advanceMergeQueue(options: {
    owner: string;
    name: string;
    branch: string;
  }): Promise<number | undefined> {
    const repository = this.#repository(options.owner, options.name);
    const access = { reads: false, sender: this.domain.core.owner(repository) };
    const merged = await within(this.domain, repository, access, () =>
      this.domain.mergeQueue.advance(repository, options.branch),
    );
    await this.#store.save();
    return merged;
  }

  /** Removes a pull request from its merge queue, as when the checks of its group fail. */
  async dropFromMergeQueue(options: { owner: string; name: string; number: number }): Promise<void> {
    const { mergeQueue, pulls } = this.domain;
    mergeQueue.leave(pulls.get(this.#repository(options.owner, options.name), options.number));
    await this.#store.save();
  }

  #owner(login: string): Account {
    return this.domain.accounts.find(login) ?? this.domain.accounts.create({ login, type: 'Organization' });
  }

  #repository(owner: string, name: string): Repository {
    return found(this.domain.repositories.find(owner, name));
  }

  #hook(options: WebhookOptions): Hook {
    const { url, secret = '', protocol = 'github', events = hookEvents[protocol], signingToken } = options;
    return this.hooks.create({
      protocol,
      url,
      secret,
      events,
      contentType: 'json',
      active: true,
      signingToken,
    });
  }

  #handle(repository: Repository): RepositoryHandle {
    const owner = this.domain.core.owner(repository).login;
    const { id, name } = repository;
    const htmlUrl = `${this.#url}/${owner}/${name}`;
    const path = this.domain.core.pathOf(repository);
    return { id, owner, name, fullName: `${owner}/${name}`, path, cloneUrl: `${htmlUrl}.git`, htmlUrl };
  }
}
