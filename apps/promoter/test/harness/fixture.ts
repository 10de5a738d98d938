import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { MovableClock } from '@interlock/base/testing';
import { type AppHandle, type RepositoryHandle, createForgeUser, type ForgeUser } from '@interlock/forge';
import { maxWebhookBytes } from '@interlock/scm';
import { createLogger, startServer, type RunningServer } from '@interlock/service';
import {
  createAccess,
  createForgeRepository,
  ensureNamespace,
  startPlatform,
  type EmbeddedPlatform,
  type ScmAccess,
  type ScmName,
} from '@interlock/stack';
import { webhookRoutes } from '../../src/webhook/server.js';
import { startPromoter, type PromoterProcess, type PromoterProcessOptions } from './promoter-process.js';
import { Team } from './team.js';

export const webhookSecret = 'of-the-test';

interface TeamOptions {
  /** Names of the environment branches, which all run a first commit. Default: dev, test, prod. */
  environments?: readonly string[];
  /** Whether the forge sends webhooks. Default: false, so that the promoter polls. */
  webhooks?: boolean;
  /** How the promoter reaches the repository. Default: by an account at the forge. */
  access?: (repository: RepositoryHandle) => ScmAccess;
}

interface FixtureOptions extends PromoterProcessOptions {
  /** The API of the forge that the promoter uses. Default: GitHub. */
  scm?: ScmName;
}

interface Parts {
  scm: ScmName;
  platform: EmbeddedPlatform;
  clock: MovableClock;
  app: AppHandle;
  user: ForgeUser;
  promoter: PromoterProcess;
  server: RunningServer;
  webhooks: PromoterProcess['webhooks'];
  options: PromoterProcessOptions;
}

/** A cluster, a forge and a promoter, which the tests of a file share; each test has a {@link Team} of its own. */
export class Fixture {
  #begun: Parts | undefined;
  #teams = 0;

  async begin({ scm = 'github', ...options }: FixtureOptions): Promise<void> {
    const clock = new MovableClock();
    const platform = await startPlatform({ clock });
    const app = await platform.forge.createApp({ owner: 'interlock' });
    const ada = await platform.forge.createUser({ login: 'ada' });
    const user = createForgeUser(scm, platform.forge, ada);
    const localRoots = [join(platform.forge.domain.core.directory, 'repositories')];
    const process = { localRoots, ...options };
    const promoter = await startPromoter(platform, clock, process);
    const webhooks = { ...promoter.webhooks };
    const server = await startServer(
      {
        name: 'webhooks',
        address: { host: '127.0.0.1', port: 0 },
        maxBodyBytes: maxWebhookBytes,
        routes: webhookRoutes(webhooks),
      },
      createLogger({ component: 'webhooks', level: 'error' }),
    );
    this.#begun = { scm, platform, clock, app, user, promoter, server, webhooks, options: process };
  }

  get #parts(): Parts {
    if (this.#begun === undefined) throw new Error('the fixture has not been started');
    return this.#begun;
  }

  get platform(): EmbeddedPlatform {
    return this.#parts.platform;
  }

  get clock(): MovableClock {
    return this.#parts.clock;
  }

  get app(): AppHandle {
    return this.#parts.app;
  }

  get user(): ForgeUser {
    return this.#parts.user;
  }

  /** Returns where the forge sends the webhooks of a namespace. */
  webhookUrl(namespace: string): string {
    return `http://127.0.0.1:${this.#parts.server.port}/webhooks/${namespace}/forge`;
  }

  /** Creates a namespace and a repository with a first commit on every branch, and the access to it. */
  async team(options: TeamOptions = {}): Promise<Team> {
    const { environments = ['dev', 'test', 'prod'], webhooks = false } = options;
    const { forge, client } = this.platform;
    const namespace = `team-${++this.#teams}`;
    const { scm } = this.#parts;
    const owner = scm === 'gitlab' ? `${namespace}/group` : namespace;
    const at = { owner, name: 'deployments' };
    const writer = this.user.user.login;
    const made = await createForgeRepository(forge, scm, this.app, { ...at, writer });
    const { repository, account } = made;
    await ensureNamespace(client, namespace);
    const access = options.access?.(repository) ?? account.access;
    await createAccess(client, { namespace, access, webhookSecret });
    const team = new Team({ fixture: this, namespace, ...made, environments });
    await team.begin();
    await this.user.pulls(repository.fullName);
    if (webhooks) {
      const url = this.webhookUrl(namespace);
      await forge.createHook({ ...at, protocol: scm, url, secret: webhookSecret });
    }
    return team;
  }

  /** Returns the metrics of the promoter that runs now. */
  scrape(): Promise<string> {
    return this.#parts.promoter.scrape();
  }

  /** Returns the last log lines of the promoter that runs now, for the message of a test that fails. */
  lastLogLines(): string {
    const lines = this.#parts.promoter.log.filter(({ level }) => level !== 'debug');
    return lines.slice(-5).reduce((text, line) => `${text}\n${JSON.stringify(line)}`, '');
  }

  /** Returns the names of the folders of the mirrors on disk. */
  mirrors(): Promise<string[]> {
    return this.#parts.promoter.mirrors();
  }

  /** Ends the promoter and starts another, with only the state of the cluster, git and the forge. */
  async restart(): Promise<void> {
    await this.stopPromoter();
    await this.startPromoter();
  }

  stopPromoter(): Promise<void> {
    return this.#parts.promoter.stop();
  }

  /** Starts a promoter after {@link stopPromoter}. */
  async startPromoter(): Promise<void> {
    const parts = this.#parts;
    parts.promoter = await startPromoter(parts.platform, parts.clock, parts.options);
    Object.assign(parts.webhooks, parts.promoter.webhooks);
    await this.rest();
  }

  /** Waits until the promoter is idle: no webhook is pending and no controller works. */
  rest(): Promise<void> {
    const { promoter, platform } = this.#parts;
    return promoter.rest(() => platform.forge.hooks.idle());
  }

  async close(): Promise<void> {
    const { server, promoter, platform } = this.#parts;
    await server.close();
    await promoter.stop();
    await platform.close();
  }
}

/**
 * Returns a fixture that is started before the tests of the calling file or group, and closed after them.
 *
 * @param optionsOf read when it starts
 */
export function useFixture(optionsOf: () => FixtureOptions = () => ({})): Fixture {
  const fixture = new Fixture();
  beforeAll(() => fixture.begin(optionsOf()));
  afterAll(() => fixture.close());
  return fixture;
}
