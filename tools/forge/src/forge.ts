import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@interlock/base';
import type { WallClock } from './clock.js';
import { ControlProtocol } from './control/protocol.js';
import { Domain } from './domain/domain.js';
import { Store } from './domain/store.js';
import { Faults } from './faults.js';
import { GiteaProtocol } from './gitea/protocol.js';
import { Links as GiteaLinks } from './gitea/links.js';
import { giteaRoutes } from './gitea/routes.js';
import { giteaHeaders } from './gitea/webhooks/headers.js';
import { giteaRenderer } from './gitea/webhooks/payload.js';
import { GithubProtocol } from './github/protocol.js';
import { Links } from './github/links.js';
import { githubRoutes } from './github/routes.js';
import { githubHeaders } from './github/webhooks/headers.js';
import { githubRenderer } from './github/webhooks/payload.js';
import { GitlabProtocol } from './gitlab/protocol.js';
import { Links as GitlabLinks } from './gitlab/links.js';
import { gitlabRoutes } from './gitlab/routes.js';
import { gitlabHeaders } from './gitlab/webhooks/headers.js';
import { gitlabRenderer } from './gitlab/webhooks/payload.js';
import { Hooks } from './hooks/hooks.js';
import { ForgeServer } from './http/server.js';
import { Journal } from './journal.js';
import { Provisioning } from './provisioning.js';
import { RateLimits } from './rest/rate-limit.js';
import { SmartHttpProtocol } from './smart-http/protocol.js';
import { WebProtocol } from './web/protocol.js';
import type { HookProtocols } from './hooks/hook-protocol.js';

export interface ForgeOptions {
  /** Port of the loopback interface; default: a free port. */
  port?: number;
  /** Folder for the state; default: a temporary folder that is deleted with the forge. */
  dataDir?: string | undefined;
  clock?: WallClock;
  /** Requests per hour for each user and each installation; default: 5,000. */
  rateLimit?: number;
  /** Delays in milliseconds before further attempts to deliver a webhook; default: 250 and 1,000. */
  webhookRetryDelaysMs?: readonly number[];
  /** Receives errors of the forge itself; by default, they are written to standard error. */
  onError?: (error: unknown) => void;
}

interface Parts {
  url: string;
  apiUrl: string;
  domain: Domain;
  hooks: Hooks;
  store: Store;
  journal: Journal;
  faults: Faults;
  close: () => Promise<void>;
}

/** A running forge. */
export class Forge extends Provisioning {
  /** Origin: for browsers, and for git as `<url>/<owner>/<name>.git`. */
  readonly url: string;
  /** Base URL of the REST API, for octokit. */
  readonly apiUrl: string;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly #close: () => Promise<void>;
  #closed: Promise<void> | undefined;

  constructor(parts: Parts) {
    super(parts);
    this.url = parts.url;
    this.apiUrl = parts.apiUrl;
    this.journal = parts.journal;
    this.faults = parts.faults;
    this.#close = parts.close;
  }

  /** Stops the server, and deletes the state unless the forge was started with a `dataDir`. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }
}

/** Starts a forge on the loopback interface. @throws Error when the port is in use */
export async function startForge(options: ForgeOptions = {}): Promise<Forge> {
  const { dataDir } = options;
  const directory = dataDir ?? (await mkdtemp(join(tmpdir(), 'forge-')));
  const removed = async (): Promise<void> => {
    if (dataDir === undefined) await rm(directory, { recursive: true, force: true });
  };
  try {
    const parts = await assemble(options, directory);
    return new Forge({ ...parts, close: () => parts.close().finally(removed) });
  } catch (error) {
    await removed();
    throw error;
  }
}

async function assemble(options: ForgeOptions, directory: string): Promise<Parts> {
  const { port = 0, dataDir, clock = systemClock, rateLimit = 5_000 } = options;
  const { webhookRetryDelaysMs = [250, 1_000], onError = report } = options;
  const temporary = join(directory, 'tmp');
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary, { recursive: true });

  const store = await Store.open(dataDir);
  const domain = new Domain(store.state, clock, directory, temporary);
  let url = '';
  const links = new Links(() => url);
  const gitlabLinks = new GitlabLinks(() => url);
  const giteaLinks = new GiteaLinks(() => url);
  const gitea = { render: giteaRenderer(domain, giteaLinks), headers: giteaHeaders };
  const hookProtocols: HookProtocols = {
    gitea,
    forgejo: gitea,
    github: { render: githubRenderer(domain, links), headers: githubHeaders },
    gitlab: {
      render: gitlabRenderer(domain, gitlabLinks),
      headers: (hook, delivery, body, now) => gitlabHeaders(url, hook, delivery, body, now),
    },
  };
  const hooks = new Hooks({
    core: domain.core,
    protocols: hookProtocols,
    retryDelaysMs: webhookRetryDelaysMs,
  });
  const journal = new Journal(clock);
  const faults = new Faults();
  const limits = new RateLimits(clock, rateLimit);
  const protocols = [
    new GithubProtocol({ domain, hooks, links, limits }, githubRoutes),
    new GitlabProtocol({ domain, hooks, links: gitlabLinks, limits }, gitlabRoutes),
    new GiteaProtocol({ domain, hooks, links: giteaLinks, limits }, giteaRoutes),
    new SmartHttpProtocol(domain, temporary),
    new ControlProtocol(journal, faults),
    new WebProtocol(domain),
  ];
  const saved = () => store.save();
  const server = new ForgeServer({ clock, journal, faults, protocols, saved, onError });
  url = `http://127.0.0.1:${await server.listen(port)}`;
  const close = async (): Promise<void> => {
    await server.close();
    await hooks.close();
    await store.save();
  };
  return { url, apiUrl: links.api, domain, hooks, store, journal, faults, close };
}

function report(error: unknown): void {
  console.error(error);
}
