import {
  annotations,
  apiVersionOf,
  CommitStatus,
  GitRepository,
  labels,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  type Check,
  type CommitStatusPhase,
  type Condition,
  type EnvironmentStatus,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import type { JournalEntry, RepositoryHandle, ShownPullRequest } from '@interlock/forge';
import { childName } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { repositoryName, type ForgeAccount, type LocalRepository } from '@interlock/stack';
import { signal, type Held } from './gate.js';
import { dryBranch, RepositoryWriter } from './repository-writer.js';
import type { Fixture } from './fixture.js';

export const strategyName = 'app';

interface TeamParts {
  fixture: Fixture;
  namespace: string;
  repository: RepositoryHandle;
  local: LocalRepository;
  account: ForgeAccount;
  environments: readonly string[];
}

export type StrategySpec = Partial<PromotionStrategy['spec']>;
export type Environment = Pick<PromotionStrategy['spec']['environments'][number], 'branch'> &
  Partial<PromotionStrategy['spec']['environments'][number]>;

/** A namespace with a repository, and the users who work with it: the developer, the hydrator, and the reporters of statuses. */
export class Team extends RepositoryWriter {
  readonly fixture: Fixture;
  readonly namespace: string;
  readonly repository: RepositoryHandle;
  /** The account of the promoter at the forge. */
  readonly account: ForgeAccount;
  #refreshes = 0;

  constructor({ fixture, namespace, repository, local, account, environments }: TeamParts) {
    super(local, fixture.clock, environments);
    this.fixture = fixture;
    this.namespace = namespace;
    this.repository = repository;
    this.account = account;
  }

  get client() {
    return this.fixture.platform.client;
  }

  /** Returns the pull requests into a branch at the forge, newest first. */
  async pulls(branch: string): Promise<ShownPullRequest[]> {
    const all = await this.fixture.user.pulls(this.repository.fullName);
    return all.filter(({ base }) => base === branch);
  }

  /** Returns the only open pull request into a branch. @throws Error when there is none, or more than one. */
  async openPull(branch: string): Promise<ShownPullRequest> {
    const open = (await this.pulls(branch)).filter(({ state }) => state === 'open');
    const [only] = open;
    if (only === undefined || open.length > 1)
      throw new Error(`${open.length} open pull requests into ${branch}`);
    return only;
  }

  /** Requests a read of the remote, as hydrators do: the forge does not notice commits made in its folder. */
  async refresh(): Promise<void> {
    const at = new Date(this.fixture.clock.now() + ++this.#refreshes).toISOString();
    await this.client.patch(
      GitRepository,
      { namespace: this.namespace, name: repositoryName },
      { type: 'merge', patch: { metadata: { annotations: { [annotations.refreshedAt]: at } } } },
    );
  }

  /** Requests a read, and waits until the promoter is idle again. */
  async refreshAndRest(): Promise<void> {
    const { journal } = this.fixture.platform.forge;
    const { seq } = journal;
    await this.refresh();
    await eventually(() => {
      if (!this.requests(seq).some(({ api }) => api === 'git'))
        throw new Error('the remote has not been read');
    });
    await this.fixture.rest();
  }

  /** Makes the promoter's reads of a remote wait, before the remote returns its references. */
  holdReads(fullName = this.repository.fullName): Held {
    const arrived = signal();
    const released = signal();
    const fault = this.fixture.platform.forge.faults.add({
      match: { api: 'git', path: `/${fullName}.git/git-upload-pack` },
      times: Infinity,
      onHit: () => {
        arrived.send();
        return released.came;
      },
    });
    return {
      arrived: arrived.came,
      release: () => {
        fault.remove();
        released.send();
      },
    };
  }

  /** Waits until a proposed commit reports this reason for waiting. Returns its condition `Promoted`. */
  async waitsFor(branch: string, reason: string): Promise<Condition> {
    return eventually(async () => {
      const promoted = conditionOf(await this.proposedCommit(branch), 'Promoted');
      if (promoted.reason !== reason) throw new Error(`${promoted.reason}: ${promoted.message}`);
      return promoted;
    });
  }

  /**
   * Returns the requests to the forge about the repository of the team; requests about the repositories of other tests may arrive
   * at any time.
   */
  requests(since: number): JournalEntry[] {
    const { journal } = this.fixture.platform.forge;
    return journal.entries({ since }).filter(({ path }) => this.#isOurs(path));
  }

  /** Returns the numbers of the pull requests that the promoter asked the forge to merge, in that order. */
  mergeRequests(since = 0): number[] {
    return this.requests(since)
      .filter(({ api, kind, actor }) => api === 'rest' && kind === 'write' && actor === this.account.login)
      .filter(({ path }) => path.endsWith('/merge'))
      .map(({ path }) => Number(path.split('/').at(-2)));
  }

  /* GitLab names a project by its encoded path. */
  #isOurs(path: string): boolean {
    const plain = decodeURIComponent(path);
    const { fullName } = this.repository;
    return plain.includes(`/${fullName}/`) || plain.includes(`/${fullName}.git`);
  }

  /**
   * Applies the strategy. An environment is given in full, or as the name of its branch; default: all branches of the
   * team.
   */
  async applyStrategy(
    spec: Omit<StrategySpec, 'environments'> & { environments?: readonly (string | Environment)[] } = {},
    name = strategyName,
  ): Promise<void> {
    const environments = (spec.environments ?? this.environments).map((environment) =>
      typeof environment === 'string' ? { branch: environment } : environment,
    );
    await this.apply(PromotionStrategy, name, {
      spec: { repoRef: { name: repositoryName }, dryBranch, ...spec, environments },
    });
  }

  /** Deletes the strategy and its children. */
  async deleteStrategy(name = strategyName): Promise<void> {
    await this.client.delete(
      PromotionStrategy,
      { namespace: this.namespace, name },
      { propagationPolicy: 'Background' },
    );
  }

  /** Applies an object of the team's namespace, as a member of the team does. */
  apply<T extends KubeObject>(kind: Kind<T>, name: string, fields: Record<string, unknown>): Promise<T> {
    const metadata = { name, namespace: this.namespace };
    return this.client.apply(kind, { metadata, ...fields }, { fieldManager: 'team' });
  }

  strategy(name = strategyName): Promise<PromotionStrategy> {
    return this.client.get(PromotionStrategy, { namespace: this.namespace, name });
  }

  /** Returns the status of an environment. @throws Error while there is none. */
  async environment(branch: string): Promise<EnvironmentStatus> {
    const { status } = await this.strategy();
    const found = status?.environments?.find((environment) => environment.branch === branch);
    if (found === undefined) throw new Error(`no status of ${branch}${this.fixture.lastLogLines()}`);
    return found;
  }

  proposedCommit(branch: string): Promise<ProposedCommit> {
    return this.client.get(ProposedCommit, this.#child(branch));
  }

  pullRequest(branch: string): Promise<PullRequest> {
    return this.client.get(PullRequest, this.#child(branch));
  }

  promotionStatus(branch: string): Promise<CommitStatus> {
    return this.client.get(CommitStatus, this.#child(`${branch}-promotion`));
  }

  #child(part: string) {
    return { namespace: this.namespace, name: childName(strategyName, part) };
  }

  /** Returns a line of the decision about an environment: of the strategy's rules or of the proposed commit's checks. @throws Error while there is none. */
  async check(branch: string, name: string): Promise<Check> {
    const rules = (await this.environment(branch)).checks ?? [];
    const checks = (await this.proposedCommit(branch)).status?.checks ?? [];
    const found = [...rules, ...checks].find((check) => check.name === name);
    if (found === undefined) throw new Error(`no check ${name} of ${branch}`);
    return found;
  }

  /** Waits until an environment runs a dry commit. Returns the commit on the environment branch. */
  async runs(branch: string, drySHA: string): Promise<string> {
    return eventually(async () => {
      const { active } = await this.environment(branch);
      const { drySHA: running, hydratedSHA } = active ?? {};
      if (hydratedSHA === undefined || running !== drySHA) throw new Error(`${branch} runs ${running}`);
      return hydratedSHA;
    });
  }

  /** Reports a phase for a commit, under a name made of the key and the commit unless a name is given. */
  async report(
    key: string,
    sha: string,
    phase: CommitStatusPhase,
    {
      name = `${key}-${sha.slice(0, 8)}`,
      namespace = this.namespace,
      description = '',
      validUntil = undefined as string | undefined,
    } = {},
  ): Promise<void> {
    await this.client.apply(
      CommitStatus,
      {
        apiVersion: apiVersionOf(CommitStatus),
        kind: CommitStatus.kind,
        metadata: { name, namespace, labels: { [labels.commitStatusKey]: key } },
        spec: {
          repoRef: { name: repositoryName },
          sha,
          name: key,
          phase,
          ...(description !== '' && { description }),
          validUntil,
        },
      },
      { fieldManager: 'reporter' },
    );
  }
}

/** Returns a condition of an object. @throws Error while there is none. */
export function conditionOf(
  { status }: { status?: { conditions?: Condition[] | undefined } },
  type: 'Ready' | 'Reconciling' | 'Stalled' | 'Promoted' | 'Rejected' | 'Drifted',
): Condition {
  const found = status?.conditions?.find((condition) => condition.type === type);
  if (found === undefined) throw new Error(`no condition ${type}`);
  return found;
}
