import {
  ArgoCDCommitStatus,
  CommitStatus,
  FluxCommitStatus,
  labels,
  PromotionStrategy,
  TimedCommitStatus,
  type CommitStatusPhase,
  type Condition,
  type HealthSourceStatus,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { repositoryName } from '@interlock/stack';
import { eventually } from '@interlock/kube/testing';
import { Application } from '../../src/argocd/application.js';
import { settleMs } from '../../src/sources/settle.js';
import { Team, type TeamParts } from './team.js';

export const strategyName = 'shop';
const promotionStrategyRef = { name: strategyName };

/** The expected state of the CommitStatuses with a key: `branch: [sha, phase]`. */
type SourceState = Record<string, [string, CommitStatusPhase]>;

/** A team with a strategy; the tests act as the promoter, which reports what is active, and as the deployers. */
export class StrategyTeam extends Team {
  readonly #active = new Map<string, string>();

  readonly #environments: readonly string[];

  constructor(parts: TeamParts, environments: readonly string[]) {
    super(parts);
    this.#environments = environments;
  }

  applyStrategy(spec: object = {}): Promise<KubeObject> {
    const environments = this.#environments.map((branch) => ({ branch }));
    const repoRef = { name: repositoryName };
    return this.apply(PromotionStrategy, strategyName, { spec: { repoRef, environments, ...spec } });
  }

  /** Reports the active commits, as the promoter does. */
  async activate(active: Record<string, string>): Promise<void> {
    for (const [branch, commit] of Object.entries(active)) this.#active.set(branch, commit);
    const environments = [...this.#active].map(([branch, hydratedSHA]) => ({
      branch,
      active: { hydratedSHA },
    }));
    await this.client.apply(
      PromotionStrategy,
      { metadata: { name: strategyName, namespace: this.namespace }, status: { environments } },
      { fieldManager: 'promoter', subresource: 'status' },
    );
  }

  argocd(spec: object = {}, name = 'health'): Promise<KubeObject> {
    const applicationSelector = { matchLabels: { team: this.namespace } };
    return this.apply(ArgoCDCommitStatus, name, {
      spec: { promotionStrategyRef, applicationSelector, ...spec },
    });
  }

  flux(spec: object): Promise<KubeObject> {
    return this.apply(FluxCommitStatus, 'health', { spec: { promotionStrategyRef, ...spec } });
  }

  timed(environments: object[]): Promise<KubeObject> {
    return this.apply(TimedCommitStatus, 'soak', { spec: { promotionStrategyRef, environments } });
  }

  /** Deploys an Application that follows a branch, with this health at this commit. */
  async application(
    name: string,
    branch: string,
    commit: string,
    health = 'Healthy',
    team = this.namespace,
  ): Promise<void> {
    await this.client.apply(
      Application,
      {
        metadata: { name, namespace: this.namespace, labels: { team } },
        spec: { source: { repoURL: this.repository.cloneUrl, targetRevision: branch } },
        status: { health: { status: health }, sync: { status: 'Synced', revision: commit } },
      },
      { fieldManager: 'argocd' },
    );
  }

  /** Makes dev run a commit with a healthy Application, and waits until it is reported. Returns the reports. */
  async runHealthy(commit: string): Promise<Record<string, CommitStatus>> {
    await this.activate({ dev: commit });
    await this.application('shop', 'dev', commit);
    await this.argocd();
    await this.observes(ArgoCDCommitStatus, { dev: 'success' });
    await this.parts.fixture.forward(settleMs);
    return this.says('argocd-health', { dev: [commit, 'success'] });
  }

  /** Applies an object with status, as the controllers of Flux leave it. */
  async applyFlux(
    kind: Kind,
    name: string,
    { status, ...fields }: { labels?: Record<string, string>; spec: object; status?: object },
  ): Promise<void> {
    await this.apply(kind, name, fields);
    if (status === undefined) return;
    await this.client.apply(
      kind,
      { metadata: { name, namespace: this.namespace }, status },
      { fieldManager: 'flux', subresource: 'status' },
    );
  }

  /** Returns the CommitStatuses of the namespace with a key, by environment. */
  async reports(key: string): Promise<Record<string, CommitStatus>> {
    const { items } = await this.client.list(CommitStatus, {
      namespace: this.namespace,
      labelSelector: `${labels.commitStatusKey}=${key}`,
    });
    return Object.fromEntries(
      items.map((status) => [status.metadata.labels?.[labels.activeBranch] ?? status.metadata.name, status]),
    );
  }

  /** Waits until the CommitStatuses with a key have this state, and were sent to the forge. */
  async says(key: string, expected: SourceState): Promise<Record<string, CommitStatus>> {
    return eventually(async () => {
      const found = await this.reports(key);
      const said: SourceState = {};
      for (const [branch, { spec, status }] of Object.entries(found)) {
        said[branch] = [spec.sha, spec.phase];
        if (status?.sha !== spec.sha || status.phase !== spec.phase) throw new Error(`${branch} is not sent`);
      }
      if (JSON.stringify(Object.entries(said).sort()) !== JSON.stringify(Object.entries(expected).sort())) {
        throw new Error(`${key} says ${JSON.stringify(said)}`);
      }
      return found;
    });
  }

  /** Waits until the condition Ready of a source has this reason. Returns the condition. */
  async ready(
    kind: Kind<KubeObject & { status?: { conditions?: Condition[] | undefined } }>,
    reason: string,
    name = 'health',
  ): Promise<Condition> {
    return eventually(async () => {
      const { status } = await this.client.get(kind, { name, namespace: this.namespace });
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      if (ready?.reason !== reason) throw new Error(`Ready is ${JSON.stringify(ready)}`);
      return ready;
    });
  }

  /** Waits until a health source has observed this state, which may not have lasted long enough to count. */
  async observes(
    kind: Kind<KubeObject & { status?: HealthSourceStatus }>,
    expected: Record<string, CommitStatusPhase>,
    name = 'health',
  ): Promise<void> {
    await eventually(async () => {
      const { status } = await this.client.get(kind, { name, namespace: this.namespace });
      const seen = Object.fromEntries(
        (status?.environments ?? []).map(({ branch, observed }) => [branch, observed]),
      );
      if (JSON.stringify(seen) !== JSON.stringify(expected)) throw new Error(`seen ${JSON.stringify(seen)}`);
    });
  }
}

/** Returns a new commit that all teams have: the same SHA in each repository. */
export async function sameCommit(...teams: readonly Team[]): Promise<string> {
  const commits = new Set(await Promise.all(teams.map((team) => team.commit())));
  const [commit = ''] = commits;
  if (commits.size !== 1) throw new Error(`different commits: ${[...commits].join(' ')}`);
  return commit;
}
