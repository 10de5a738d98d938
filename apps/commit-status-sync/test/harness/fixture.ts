import { afterAll, beforeAll } from '@jest/globals';
import type { Kind } from '@interlock/api';
import { MovableClock } from '@interlock/base/testing';
import type { AppHandle, Fault, UserHandle } from '@interlock/forge';
import type { Client } from '@interlock/kube';
import {
  createAccess,
  createForgeRepository,
  ensureNamespace,
  installForeignKinds,
  startPlatform,
  systemNamespace,
  type Platform,
  type ScmName,
} from '@interlock/stack';
import { StrategyTeam } from './strategy-team.js';
import { startSync, type SyncProcess, type SyncProcessOptions } from './sync-process.js';
import { Team, type TeamParts } from './team.js';

interface FixtureOptions extends Partial<SyncProcessOptions> {
  /** The API of the forge that commit-status-sync uses. Default: GitHub. */
  scm?: ScmName;
  /** Kinds of other projects that are installed before the process starts. Default: none. */
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
export class Fixture {
  #begun: Parts | undefined;
  #teams = 0;

  async begin({ scm = 'github', kinds = [], commitStatusTtlMs = 0 }: FixtureOptions): Promise<void> {
    const clock = new MovableClock();
    const platform = await startPlatform({ clock });
    await installForeignKinds(platform.client, kinds);
    await ensureNamespace(platform.client, systemNamespace);
    const app = await platform.forge.createApp({ owner: 'interlock' });
    const reader = await platform.forge.createUser({ login: 'ada' });
    const options = { commitStatusTtlMs };
    const sync = await startSync(platform, clock, options);
    this.#begun = { scm, platform, clock, app, reader, sync, options };
  }

  get #parts(): Parts {
    if (this.#begun === undefined) throw new Error('the fixture has not been started');
    return this.#begun;
  }

  get platform(): Platform {
    return this.#parts.platform;
  }

  get client(): Client {
    return this.platform.client;
  }

  get app(): AppHandle {
    return this.#parts.app;
  }

  /** A user who may read and write every repository. */
  get reader(): UserHandle {
    return this.#parts.reader;
  }

  /** The process that runs now. */
  get sync(): SyncProcess {
    return this.#parts.sync;
  }

  /** Returns a team; if `access` is false, the test creates the access to its repository. */
  async team({ access = true }: { access?: boolean } = {}): Promise<Team> {
    return new Team(await this.#createTeam(access));
  }

  /** Returns a team with a strategy of these environments. */
  async strategyTeam(...environments: string[]): Promise<StrategyTeam> {
    const team = new StrategyTeam(await this.#createTeam(true), environments);
    await team.applyStrategy();
    return team;
  }

  /** Creates a namespace, a repository, and the access to it. */
  async #createTeam(access: boolean): Promise<TeamParts> {
    const { forge, client } = this.platform;
    const namespace = `team-${++this.#teams}`;
    const { scm } = this.#parts;
    const owner = scm === 'gitlab' ? `${namespace}/group` : namespace;
    const { repository, account, local } = await createForgeRepository(forge, scm, this.app, {
      owner,
      name: 'deployments',
      writer: this.reader.login,
    });
    await ensureNamespace(client, namespace);
    if (access) await createAccess(client, { namespace, access: account.access, webhookSecret: '' });
    return { fixture: this, namespace, repository, local, installationId: account.installationId };
  }

  /** Lets the forge perform the next request to a route, and cut the connection before it responds. */
  loseAnswer(route: string): Fault {
    return this.platform.forge.faults.add({ match: { method: 'POST', route }, cutAfterEffect: true });
  }

  /** Advances the clock after all work is done. */
  async forward(ms: number): Promise<void> {
    await this.sync.rest();
    this.#parts.clock.forward(ms);
  }

  /** Starts another process, after {@link sync} was stopped, with only the state of the cluster. */
  async start(): Promise<void> {
    this.#parts.sync = await startSync(this.platform, this.#parts.clock, this.#parts.options);
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

/** Returns a fixture that is started before the tests of the calling file, and closed after them. */
export function useFixture(options: FixtureOptions = {}): Fixture {
  const fixture = new Fixture();
  beforeAll(() => fixture.begin(options));
  afterAll(() => fixture.close());
  return fixture;
}
