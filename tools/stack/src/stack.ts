import { join } from 'node:path';
import { PromotionStrategy, PullRequest, type ObjectKey } from '@interlock/api';
import { silentLog, systemClock } from '@interlock/base';
import { createCache, type Cache, type Client } from '@interlock/kube';
import type { Forge, RepositoryHandle, RepositorySource, UserHandle } from '@interlock/forge';
import type { Cluster, KubeconfigFile } from './cluster/cluster.js';
import { startEmbeddedCluster } from './cluster/embedded.js';
import type { Fleet, FleetMode } from './fleet/fleet.js';
import { HealthReporter } from './fleet/health-reporter.js';
import { prepareFleet } from './fleet/prepare-fleet.js';
import { createResponderAccess } from './fleet/responder-access.js';
import { githubAccess } from './fleet/scm-access.js';
import { createTenant, providerName, repositoryName, type TenantOptions } from './fleet/tenant.js';
import { LocalRepository } from './git.js';
import { startPlatform, type Platform } from './platform.js';
import type { FoundEnvironment } from './repository/environments.js';

export interface StackOptions {
  /** Folder for the files of the stack. */
  folder: string;
  /** Default: an embedded cluster, with a node if the apps run as Deployments. */
  openCluster?: (() => Promise<Cluster>) | undefined;
  /** How the apps run. */
  fleet: FleetMode;
  /**
   * Host name or address at which the API server reaches this machine, for webhooks of processes. Default: `localhost`.
   */
  webhookHost?: string | undefined;
  /** Prints the progress of the start. */
  print?: ((line: string) => void) | undefined;
  /** Aborts the start. */
  signal?: AbortSignal | undefined;
  /** Source of the repository at the forge. By default it is empty. */
  from?: RepositorySource;
  dryBranch: string;
  environments: readonly FoundEnvironment[];
  /** Prepares the branches before the apps read them. */
  prepare: (remote: Remote) => Promise<void>;
  /** Keys of the checks that a proposed commit has to pass, by environment branch. */
  proposedKeys?: TenantOptions['proposedKeys'];
  /** If it is absent, nothing is reverted automatically. */
  revertPolicy?: TenantOptions['revertPolicy'];
  /** Duration of a rollout in the simulated clusters, in milliseconds. Default: 150. */
  rolloutMs?: number;
}

/** URL of the repository at the forge, for a hydrator. */
export interface Remote {
  url: string;
  /** Environment variables with the credential for pushes. */
  env: Record<string, string>;
}

const owner = 'acme';
const webhookSecret = 'of-the-demo';

/** All apps with a cluster and a local forge. */
export interface Stack {
  readonly folder: string;
  readonly cluster: Cluster;
  /** Client with the permissions of an administrator. */
  readonly kubeconfig: KubeconfigFile;
  readonly forge: Forge;
  readonly client: Client;
  readonly fleet: Fleet;
  readonly health: HealthReporter;
  readonly repository: RepositoryHandle & { local: LocalRepository };
  readonly remote: Remote;
  /** A user of the forge who may push and merge, for the user of the demo. */
  readonly visitor: UserHandle;
  readonly strategy: ObjectKey;
  readonly strategies: Cache<PromotionStrategy>;
  readonly pullRequests: Cache<PullRequest>;
  readonly environments: readonly FoundEnvironment[];
  close(): Promise<void>;
}

/**
 * Opens the cluster, starts the forge and the apps, and creates the resources of the tenant. @throws Error after
 * stopping what was started
 */
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

async function start(
  options: StackOptions,
  stops: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<Stack> {
  const { folder, environments, fleet: mode, webhookHost = 'localhost', print, signal } = options;
  const { openCluster = () => startEmbeddedCluster({ runsPods: mode === 'deployments' }) } = options;
  const platform = await startPlatform({ dataDir: join(folder, 'forge') }, openCluster);
  stops.push(() => platform.close());
  const { cluster, forge, client } = platform;
  const kubeconfig = cluster.kubeconfigFile(folder);

  const stopping = new AbortController();
  const fleet = await prepareFleet(platform, { mode, folder, webhookHost, print, signal });
  stops.push(() => fleet.close());
  signal?.throwIfAborted();
  const { repository, remote, visitor } = await createForgeRepository(forge, options);
  await options.prepare(remote);
  const strategy = await createTeam(platform, fleet, repository, options);
  await configureResponder(platform, repository, options);
  signal?.throwIfAborted();

  const { strategies, pullRequests, health, running } = observe(
    platform,
    repository,
    options,
    stopping.signal,
  );
  stops.push(async () => {
    stopping.abort();
    await Promise.allSettled(running);
  });
  await fleet.start(print);
  await Promise.all([strategies.waitForSync(stopping.signal), pullRequests.waitForSync(stopping.signal)]);
  return {
    folder,
    cluster,
    kubeconfig,
    forge,
    client,
    fleet,
    health,
    repository,
    remote,
    visitor,
    strategy,
    strategies,
    pullRequests,
    environments,
    close,
  };
}

/** Creates the caches of the scenarios and the simulated clusters of the environments. */
function observe(
  { client, cluster }: Platform,
  repository: { local: LocalRepository },
  { environments, rolloutMs = 150 }: StackOptions,
  signal: AbortSignal,
) {
  const dependencies = { clock: systemClock, random: Math.random, log: silentLog };
  const strategies = createCache(client, PromotionStrategy, {}, dependencies);
  const pullRequests = createCache(client, PullRequest, {}, dependencies);
  const health = new HealthReporter({
    client,
    repository: repository.local,
    namespace: cluster.namespaces.team,
    gitRepository: repositoryName,
    branches: environments.map(({ branch }) => branch),
    rolloutMs,
  });
  const running = [strategies.run(signal), pullRequests.run(signal), health.run(signal)];
  return { strategies, pullRequests, health, running };
}

/** Creates the GitHub App at the forge, and the objects of a team in the cluster. @returns the key of the strategy. */
async function createTeam(
  { client, forge, cluster }: Platform,
  fleet: Fleet,
  repository: RepositoryHandle,
  { dryBranch, environments, proposedKeys, revertPolicy }: StackOptions,
): Promise<ObjectKey> {
  const namespace = cluster.namespaces.team;
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
    proposedKeys,
    revertPolicy,
  });
}

/**
 * Creates the GitHub App of the responder at the forge, and the configuration that routes responses to the repository.
 */
async function configureResponder(
  { client, forge, cluster }: Platform,
  repository: RepositoryHandle,
  { dryBranch: baseBranch }: StackOptions,
): Promise<void> {
  const app = await forge.createApp({ owner, name: 'gitops-responder' });
  await createResponderAccess(client, {
    secretName: 'gitops-responder-github-app',
    namespace: cluster.namespaces.config,
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
): Promise<Pick<Stack, 'repository' | 'remote' | 'visitor'>> {
  const repository = await forge.createRepository({
    owner,
    name: 'deployments',
    defaultBranch: dryBranch,
    from,
  });
  const addUser = async (login: string): Promise<UserHandle> => {
    const user = await forge.createUser({ login });
    await forge.grant({ owner, name: repository.name, login, role: 'write' });
    return user;
  };
  const hydrator = await addUser('hydrator');
  const visitor = await addUser('visitor');
  const credential = Buffer.from(`${hydrator.login}:${hydrator.token}`).toString('base64');
  const remote = {
    url: repository.cloneUrl,
    env: {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraHeader',
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${credential}`,
    },
  };
  return { repository: { ...repository, local: new LocalRepository(repository.path) }, remote, visitor };
}
