import type { Kind } from '@interlock/api';
import { MovableClock } from '@interlock/base/testing';
import type { AppHandle, UserHandle } from '@interlock/forge';
import type { Client } from '@interlock/kube';
import {
  createAccess,
  createForgeAccount,
  ensureNamespace,
  installForeignKinds,
  LocalRepository,
  startPlatform,
  systemNamespace,
  type Platform,
  type ScmName,
} from '@interlock/stack';
import { StrategyTeam } from './strategy-team.js';
import { startSync, type SyncProcess, type SyncProcessOptions } from './sync-process.js';
import { Team, type TeamParts } from './team.js';

export interface WorldOptions extends Partial<SyncProcessOptions> {
  /** What the forge is for commit-status-sync. Default GitHub. */
  scm?: ScmName;
  /** Kinds of other projects that are installed before the process starts. Default none. */
  kinds?: readonly Kind[];
}

interface Parts {
  scm: ScmName;
  platform: Platform;
  clock: MovableClock;
  app: AppHandle;
  reader: UserHandle;
  sync: SyncProcess;
  options: SyncProcessOptions;
}

/** A cluster, a forge and commit-status-sync, which the tests of a file share; each test has a {@link Team} of its own. */
export class World {
  #teams = 0;

  private constructor(private readonly parts: Parts) {}

  static async start({
    scm = 'github',
    kinds = [],
    commitStatusTtlMs = 0,
  }: WorldOptions = {}): Promise<World> {
    const clock = new MovableClock();
    const platform = await startPlatform({ clock });
    await installForeignKinds(platform.client, kinds);
    await ensureNamespace(platform.client, systemNamespace);
    const app = await platform.forge.createApp({ owner: 'interlock' });
    const reader = await platform.forge.createUser({ login: 'ada' });
    const options = { commitStatusTtlMs };
    const sync = await startSync(platform, clock, options);
    return new World({ scm, platform, clock, app, reader, sync, options });
  }

  get platform(): Platform {
    return this.parts.platform;
  }

  get client(): Client {
    return this.platform.client;
  }

  get app(): AppHandle {
    return this.parts.app;
  }

  /** Somebody who may read and write every repository. */
  get reader(): UserHandle {
    return this.parts.reader;
  }

  /** The process that runs now. */
  get sync(): SyncProcess {
    return this.parts.sync;
  }

  /** @returns a team whose access to its repository is left to the test if `access` is false. */
  async team({ access = true }: { access?: boolean } = {}): Promise<Team> {
    return new Team(await this.#createTeam(access));
  }

  /** @returns a team with a strategy of these environments. */
  async strategyTeam(...environments: string[]): Promise<StrategyTeam> {
    const team = new StrategyTeam(await this.#createTeam(true), environments);
    await team.applyStrategy();
    return team;
  }

  /**
   * Makes a namespace, a repository, and the access to it. The owner is the team's own, and so is the installation of the
   * App: writes of one test take nothing from the pace of another.
   */
  async #createTeam(access: boolean): Promise<TeamParts> {
    const { forge, client } = this.platform;
    const namespace = `team-${++this.#teams}`;
    const { scm } = this.parts;
    const owner = scm === 'gitlab' ? `${namespace}/group` : namespace;
    const at = { owner, name: 'deployments' };
    const repository = await forge.createRepository(at);
    const account = await createForgeAccount(forge, scm, this.app, at);
    const { installationId } = account;
    await forge.grant({ ...at, login: this.reader.login, role: 'write' });
    await ensureNamespace(client, namespace);
    const local = new LocalRepository(repository.path);
    if (access) {
      await createAccess(client, { namespace, access: account.access, webhookSecret: '' });
    }
    return { world: this, namespace, repository, local, installationId };
  }

  /** Moves the time once nothing else is left to do. */
  async forward(ms: number): Promise<void> {
    await this.sync.rest();
    this.parts.clock.forward(ms);
  }

  /** Starts another process, after {@link sync} was stopped, with nothing but what the cluster holds. */
  async start(): Promise<void> {
    this.parts.sync = await startSync(this.platform, this.parts.clock, this.parts.options);
  }

  /** Ends the process and starts another. */
  async restart(): Promise<void> {
    await this.sync.stop();
    await this.start();
    await this.sync.rest();
  }

  async close(): Promise<void> {
    await this.sync.stop();
    await this.platform.close();
  }
}
