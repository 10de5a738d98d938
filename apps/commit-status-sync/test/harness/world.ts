import type { AppHandle, UserHandle } from '@interlock/forge';
import {
  createAccess,
  createForgeAccount,
  ensureNamespace,
  LocalRepository,
  startPlatform,
  type Platform,
  type ScmName,
} from '@interlock/stack';
import { startSync, type SyncProcess } from './sync-process.js';
import { Team } from './team.js';

interface Parts {
  scm: ScmName;
  platform: Platform;
  app: AppHandle;
  reader: UserHandle;
  sync: SyncProcess;
}

/** A cluster, a forge and commit-status-sync, which the tests of a file share; each test has a {@link Team} of its own. */
export class World {
  #teams = 0;

  private constructor(private readonly parts: Parts) {}

  /** @param scm what the forge is for commit-status-sync. */
  static async start(scm: ScmName = 'github'): Promise<World> {
    const platform = await startPlatform();
    const app = await platform.forge.createApp({ owner: 'interlock' });
    const reader = await platform.forge.createUser({ login: 'ada' });
    return new World({ scm, platform, app, reader, sync: startSync(platform) });
  }

  get platform(): Platform {
    return this.parts.platform;
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

  /**
   * Makes a namespace, a repository with a commit, and the access to it unless that is left to the test. The owner is the
   * team's own, and so is the installation of the App: writes of one test take nothing from the pace of another.
   */
  async team({ access = true }: { access?: boolean } = {}): Promise<Team> {
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
    const team = new Team({ world: this, namespace, repository, local, installationId });
    if (access) {
      await createAccess(client, { namespace, access: account.access, webhookSecret: '' });
    }
    return team;
  }

  /** Starts another process, after {@link sync} was stopped. */
  start(): void {
    this.parts.sync = startSync(this.platform);
  }

  async close(): Promise<void> {
    await this.sync.stop();
    await this.platform.close();
  }
}
