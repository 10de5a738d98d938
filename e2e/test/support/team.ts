import {
  apiVersionOf,
  PromotionStrategy,
  PullRequest,
  type ObjectKey,
  type PromotionStrategy as Strategy,
} from '@interlock/api';
import type { RepositoryHandle } from '@interlock/forge';
import { Namespace, type Client } from '@interlock/kube';
import {
  createAccess,
  createForgeAccount,
  ensureNamespace,
  LocalRepository,
  repositoryName,
  type ForgeAccount,
} from '@interlock/stack';
import type { Fixture } from './fixture.js';

export const webhookSecret = 'canary-webhook-secret-41c7';
const strategyName = 'shop';
const fieldManager = 'team';

interface TeamOptions {
  /** Name of the namespace and of the account at the forge. */
  name: string;
  /** A bare repository with the initial content. */
  template: string;
  environments: readonly string[];
}

/** A team: a namespace, an account at the forge with its own credential, a repository and a strategy. */
export class Team {
  readonly strategyKey: ObjectKey;

  readonly #fixture: Fixture;
  readonly #options: TeamOptions;
  readonly #account: ForgeAccount;

  private constructor(
    fixture: Fixture,
    options: TeamOptions,
    readonly repository: RepositoryHandle,
    account: ForgeAccount,
  ) {
    this.#fixture = fixture;
    this.#options = options;
    this.#account = account;

    this.strategyKey = { namespace: this.name, name: strategyName };
  }

  /** Creates the account and the repository at the forge. The cluster has no objects of the team yet. */
  static async create(fixture: Fixture, options: TeamOptions): Promise<Team> {
    const { forge } = fixture.platform;
    const { scm } = fixture;
    /* GitLab has groups in groups. */
    const owner = scm === 'gitlab' ? `${options.name}/group` : options.name;
    const at = { owner, name: 'deployments' };
    const repository = await forge.createRepository({ ...at, from: { path: options.template } });
    const account = await createForgeAccount(forge, scm, fixture.app, at);
    await forge.grant({ ...at, login: fixture.user.login, role: 'write' });
    return new Team(fixture, options, repository, account);
  }

  get name(): string {
    return this.#options.name;
  }

  /** Id of the installation of the GitHub App. */
  get installationId(): number | undefined {
    return this.#account.installationId;
  }

  /** Login under which the forge records the requests of the apps. */
  get login(): string {
    return this.#account.login;
  }

  /** URL of the repository at the forge, for git. */
  get local(): LocalRepository {
    return new LocalRepository(this.repository.path);
  }

  get #client(): Client {
    return this.#fixture.platform.client;
  }

  /** Creates the namespace with the credential of the repository. */
  async connect(): Promise<void> {
    const { name: namespace } = this;
    await ensureNamespace(this.#client, namespace);
    await createAccess(this.#client, { namespace, access: this.#account.access, webhookSecret });
  }

  /** Creates the strategy. */
  async createStrategy(spec: Partial<Strategy['spec']> = {}): Promise<void> {
    const strategy = {
      apiVersion: apiVersionOf(PromotionStrategy),
      kind: PromotionStrategy.kind,
      metadata: { namespace: this.name, name: strategyName },
      spec: {
        repoRef: { name: repositoryName },
        dryBranch: 'main',
        environments: this.#options.environments.map((branch) => ({ branch })),
        ...spec,
      },
    };
    await this.#client.apply(PromotionStrategy, strategy, { fieldManager });
  }

  strategy(): Promise<Strategy> {
    return this.#client.get(PromotionStrategy, this.strategyKey);
  }

  /**
   * Returns the reason why this dry commit is not in every environment yet, or undefined if it is in all of them and
   * every resource reports it.
   */
  async missing(drySHA: string): Promise<string | undefined> {
    const { status } = await this.strategy();
    for (const branch of this.#options.environments) {
      const state = status?.environments?.find((one) => one.branch === branch);
      if (state?.active?.drySHA !== drySHA)
        return `${branch} runs ${state?.active?.drySHA ?? 'nothing known'}`;
    }
    const { items } = await this.#client.list(PullRequest, { namespace: this.name });
    const open = items.find((pullRequest) => pullRequest.status?.state !== 'merged');
    return open && `the PullRequest ${open.metadata.name} is ${open.status?.state ?? 'new'}`;
  }

  /** Deletes the objects of the team in the cluster, but not the repository. */
  async leave(): Promise<void> {
    await this.#client.delete(Namespace, { name: this.name });
  }
}
