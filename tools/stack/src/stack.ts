import { join } from 'node:path';
import { PromotionStrategy, PullRequest, type ObjectKey } from '@interlock/api';
import { createCache, systemClock, type Cache, type Client } from '@interlock/kube';
import type { DevCluster } from '@interlock/devcluster';
import type { Forge, RepositoryHandle, RepositorySource } from '@interlock/forge';
import { createFleet, type Fleet, type FleetOptions } from './fleet/fleet.js';
import { HealthReporter } from './fleet/health-reporter.js';
import { ensureNamespace, systemNamespace } from './fleet/install.js';
import { installWebhooks } from './fleet/install-webhooks.js';
import { createResponderAccess } from './fleet/responder-access.js';
import { githubAccess } from './fleet/scm-access.js';
import { createTenant, providerName, repositoryName, type TenantOptions } from './fleet/tenant.js';
import { LocalRepository } from './git.js';
import { startPlatform, type Platform } from './platform.js';
import type { FoundEnvironment } from './repository/environments.js';
import { silent } from './silent.js';

export interface StackOptions {
  /** Folder for everything that is kept while the stack runs. */
  folder: string;
  /** Where the forge's repository comes from; absent: it begins empty. */
  from?: RepositorySource;
  dryBranch: string;
  environments: readonly FoundEnvironment[];
  /** Puts the branches where they are to be before anybody looks. */
  prepare: (remote: Remote) => Promise<void>;
  /** Keys that a proposed commit has to pass, by environment branch. */
  proposedKeys?: TenantOptions['proposedKeys'];
  /** Absent: nothing is reverted by itself. */
  revertPolicy?: TenantOptions['revertPolicy'];
  /** Milliseconds that a roll-out takes in the clusters that are played. Default 150. */
  rolloutMs?: number;
  fleet?: Pick<FleetOptions, 'env' | 'args'>;
}

/** The forge's repository, for a hydrator. */
export interface Remote {
  url: string;
  /** Variables with which git may push. */
  env: Record<string, string>;
}

const owner = 'acme';
const namespace = 'demo';
const webhookSecret = 'of-the-demo';

/** The whole fleet on an embedded cluster and a local forge. */
export interface Stack {
  readonly cluster: DevCluster;
  readonly kubeconfig: string;
  readonly forge: Forge;
  readonly client: Client;
  readonly fleet: Fleet;
  readonly health: HealthReporter;
  readonly repository: RepositoryHandle & { local: LocalRepository };
  readonly remote: Remote;
  readonly strategy: ObjectKey;
  readonly strategies: Cache<PromotionStrategy>;
  readonly pullRequests: Cache<PullRequest>;
  readonly environments: readonly FoundEnvironment[];
  close(): Promise<void>;
}

/** Starts cluster, forge and apps, and creates the tenant's resources. @throws Error; what was started is stopped then. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return await start(options, stops, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** Has the API server ask the apps by their admission webhooks. */
async function leadToServices({ client, route }: Platform, { serviceUrls }: Fleet): Promise<void> {
  for (const [service, url] of serviceUrls) route(systemNamespace, service, url);
  await installWebhooks(client, 'gate-controller');
}

async function start(
  options: StackOptions,
  stops: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<Stack> {
  const { folder, environments } = options;
  const platform = await startPlatform({ dataDir: join(folder, 'forge') });
  stops.push(() => platform.close());
  const { cluster, forge, client, admin } = platform;
  const kubeconfig = join(folder, 'kubeconfig');
  cluster.writeKubeconfig(kubeconfig);

  const stopping = new AbortController();
  await ensureNamespace(client, systemNamespace);
  const fleet = await createFleet({ client, admin, folder, services: true, ...options.fleet });
  await leadToServices(platform, fleet);
  const { repository, remote } = await createForgeRepository(forge, options);
  await options.prepare(remote);
  const strategy = await createTeam(platform, fleet, repository, options);
  await configureResponder(platform, repository, options);

  const { strategies, pullRequests, health, running } = look(client, repository, options, stopping.signal);
  stops.push(async () => {
    stopping.abort();
    await Promise.allSettled(running);
  });
  fleet.start();
  stops.push(() => fleet.stop());
  await Promise.all([strategies.waitForSync(stopping.signal), pullRequests.waitForSync(stopping.signal)]);
  return {
    cluster,
    kubeconfig,
    forge,
    client,
    fleet,
    health,
    repository,
    remote,
    strategy,
    strategies,
    pullRequests,
    environments,
    close,
  };
}

/** What stories look at, and the health that the clusters which are played report. */
function look(
  client: Client,
  repository: { local: LocalRepository },
  { environments, rolloutMs = 150 }: StackOptions,
  signal: AbortSignal,
) {
  const dependencies = { clock: systemClock, random: Math.random, log: silent };
  const strategies = createCache(client, PromotionStrategy, {}, dependencies);
  const pullRequests = createCache(client, PullRequest, {}, dependencies);
  const health = new HealthReporter({
    client,
    repository: repository.local,
    namespace,
    gitRepository: repositoryName,
    branches: environments.map(({ branch }) => branch),
    rolloutMs,
  });
  const running = [strategies.run(signal), pullRequests.run(signal), health.run(signal)];
  return { strategies, pullRequests, health, running };
}

/** The App at the forge, and what a team creates in the cluster. @returns the key of its strategy. */
async function createTeam(
  { client, forge }: Platform,
  fleet: Fleet,
  repository: RepositoryHandle,
  { dryBranch, environments, proposedKeys, revertPolicy }: StackOptions,
): Promise<ObjectKey> {
  const app = await forge.createApp({
    owner,
    name: 'interlock',
    webhook: {
      url: `${fleet.webhookUrls.promoter}/webhooks/${namespace}/${providerName}`,
      secret: webhookSecret,
    },
  });
  return createTenant(client, {
    namespace,
    access: githubAccess(forge.url, app, repository),
    webhookSecret,
    dryBranch,
    branches: environments.map(({ branch }) => branch),
    ...(proposedKeys && { proposedKeys }),
    ...(revertPolicy && { revertPolicy }),
  });
}

/** The responder's own App at the forge, and the configuration that leads its responses to the repository. */
async function configureResponder(
  { client, forge }: Platform,
  repository: RepositoryHandle,
  { dryBranch: baseBranch }: StackOptions,
): Promise<void> {
  const app = await forge.createApp({ owner, name: 'gitops-responder' });
  await createResponderAccess(client, {
    secretName: 'gitops-responder-github-app',
    host: forge.url,
    repository: repository.fullName,
    baseBranch,
    access: githubAccess(forge.url, app, repository),
    route: { match: { actionRef: 'revoke-clusterrolebinding' }, labels: ['security'] },
  });
}

async function createForgeRepository(
  forge: Forge,
  { from, dryBranch }: StackOptions,
): Promise<{ repository: RepositoryHandle & { local: LocalRepository }; remote: Remote }> {
  const repository = await forge.createRepository({
    owner,
    name: 'deployments',
    defaultBranch: dryBranch,
    ...(from && { from }),
  });
  const hydrator = await forge.createUser({ login: 'hydrator' });
  await forge.grant({ owner, name: repository.name, login: hydrator.login, role: 'write' });
  const credential = Buffer.from(`${hydrator.login}:${hydrator.token}`).toString('base64');
  const remote = {
    url: repository.cloneUrl,
    env: {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraHeader',
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${credential}`,
    },
  };
  return { repository: { ...repository, local: new LocalRepository(repository.path) }, remote };
}
