import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiVersionOf, PromotionStrategy, type CustomKind, type ObjectKey } from '@interlock/api';
import type { AppHandle, RepositoryHandle, RepositorySource } from '@interlock/forge';
import {
  createAccess,
  createProcessFleet,
  createForgeAccount,
  ensureNamespace,
  LocalRepository,
  repositoryName,
  startPlatform,
  systemNamespace,
  type AppProcess,
  type ProcessFleet,
  type Platform,
} from '@interlock/stack';
import { dryBranch } from './repository.js';
import { Samples } from './samples.js';

interface FixtureOptions {
  args?: readonly string[];
  env?: Record<string, string>;
}

export interface Team {
  namespace: string;
  repository: RepositoryHandle;
  /** URL of the repository at the forge, for git. */
  local: LocalRepository;
}

const webhookSecret = 'of-the-bench';
const quietPolls = 3;
const lookMs = 50;
const settleMs = 120_000;

/**
 * A cluster and a forge in this process, and the bundle of the promoter in another process, with the permissions of
 * its chart.
 */
export class Fixture {
  readonly #app: AppHandle;

  private constructor(
    readonly platform: Platform,
    readonly fleet: ProcessFleet,
    readonly folder: string,
    app: AppHandle,
  ) {
    this.#app = app;
  }

  /** Starts everything, and waits until the promoter is ready. */
  static async start({ args = [], env = {} }: FixtureOptions = {}): Promise<Fixture> {
    const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-'));
    const platform = await startPlatform({ rateLimit: 1_000_000 });
    const { client, admin, forge } = platform;
    await ensureNamespace(client, systemNamespace);
    const fleet = await createProcessFleet({
      client,
      admin,
      folder,
      env,
      forgeUrl: forge.url,
      args: { promoter: args },
    });
    const app = await forge.createApp({ owner: 'interlock', name: 'interlock' });
    const fixture = new Fixture(platform, fleet, folder, app);
    fleet.processes.promoter.start();
    await fixture.until(() => fleet.ready('promoter'));
    return fixture;
  }

  /** Applies an object of the promoter. */
  async apply(kind: CustomKind, key: ObjectKey, spec: Record<string, unknown>): Promise<void> {
    const configuration = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { ...key }, spec };
    await this.platform.client.apply(kind, configuration, { fieldManager: 'bench' });
  }

  get promoter(): AppProcess {
    return this.fleet.processes.promoter;
  }

  /** Creates a namespace and a repository. Each team has its own installation of the App. */
  async team(name: string, from?: RepositorySource): Promise<Team> {
    const { forge, client } = this.platform;
    const repository = await forge.createRepository({
      owner: name,
      name: 'deployments',
      defaultBranch: dryBranch,
      from,
    });
    const at = { owner: name, name: repository.name };
    const { access } = await createForgeAccount(forge, 'github', this.#app, at);
    await ensureNamespace(client, name);
    await createAccess(client, { namespace: name, access, webhookSecret });
    await forge.createHook({
      ...at,
      url: `${this.fleet.webhookUrls.promoter}/webhooks/${name}/forge`,
      secret: webhookSecret,
    });
    return { namespace: name, repository, local: new LocalRepository(repository.path) };
  }

  async applyStrategy({ namespace }: Team, name: string, branches: readonly string[]): Promise<void> {
    const environments = branches.map((branch) => ({ branch }));
    const spec = { repoRef: { name: repositoryName }, dryBranch, environments };
    await this.apply(PromotionStrategy, { name, namespace }, spec);
  }

  /** Waits until a number of strategies of a team are `Ready` with all their environments. */
  async reconciled({ namespace }: Team, count: number, signal: AbortSignal): Promise<void> {
    await this.until(async () => {
      const { items } = await this.platform.client.list(PromotionStrategy, { namespace });
      const ready = items.filter(({ status }) =>
        status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True'),
      );
      return ready.length === count;
    }, signal);
  }

  async samples(): Promise<Samples> {
    return new Samples(await this.fleet.metrics('promoter'));
  }

  /** Waits until the promoter is idle. */
  async settled(signal: AbortSignal): Promise<void> {
    let quiet = 0;
    await this.until(async () => {
      const samples = await this.samples();
      const busy = samples.sum('workqueue_depth') + samples.sum('controller_runtime_active_workers');
      quiet = busy === 0 ? quiet + 1 : 0;
      return quiet >= quietPolls;
    }, signal);
  }

  /** Waits until a condition holds. @throws Error after two minutes; the reason of the signal */
  async until(holds: () => boolean | Promise<boolean>, signal?: AbortSignal): Promise<void> {
    const deadline = performance.now() + settleMs;
    while (!(await holds())) {
      if (!this.promoter.running) throw new Error('the promoter has ended');
      if (performance.now() > deadline)
        throw new Error(`the condition did not hold within ${settleMs / 1000} s`);
      await sleep(lookMs, undefined, { signal });
    }
  }

  async close(): Promise<void> {
    await this.promoter.stop();
    await this.platform.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
