import { join } from 'node:path';
import { startActionsService, type ActionsService } from '@interlock/actions-service';
import { enterpriseAddress, gmcManifests, releaseNamespace } from '@interlock/charts';
import type { Client } from '@interlock/kube';
import { runnerImage } from '@interlock/runner-image';
import type { KubeconfigFile } from '../cluster/cluster.js';
import { startEmbeddedCluster, type EmbeddedCluster } from '../cluster/embedded.js';
import { applyManifest } from '../fleet/apply-manifest.js';
import { ensureNamespace, installCustomResources } from '../fleet/install.js';
import { waitForRollout } from '../fleet/rollout.js';
import type { Print } from '../scenario/narrator.js';
import { saveRecords } from './logs.js';
import { gitHubHost, hosts, tenants } from './plan.js';
import { startPodRecords, type TenantPods } from './pods.js';

const rolloutTimeoutMs = 120_000;
const gmc = { namespace: releaseNamespace, name: 'gmc' };

/** An embedded cluster with the gmc, and the GitHub Enterprise Server whose jobs its tenants run. */
export interface TenantsInstallation {
  readonly cluster: EmbeddedCluster;
  readonly kubeconfig: KubeconfigFile;
  /** A client with admin permissions. */
  readonly client: Client;
  readonly service: ActionsService;
  /** Pods of tenants, including deleted ones. */
  readonly pods: TenantPods;
  close(): Promise<void>;
}

interface InstallationOptions {
  /** Folder for the files of the scenario. */
  folder: string;
  print: Print;
  /** Aborts the start. */
  signal: AbortSignal;
}

/** Starts the cluster, the service and the gmc, without tenants. @throws Error after stopping what was started */
export async function startInstallation(options: InstallationOptions): Promise<TenantsInstallation> {
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return { ...(await start(options, stops)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  { folder, print, signal }: InstallationOptions,
  stops: (() => Promise<unknown>)[],
): Promise<Omit<TenantsInstallation, 'close'>> {
  const images = runnerImage({ folder: join(folder, 'runner') });
  const cluster = await startEmbeddedCluster({ runsPods: true, images, hosts });
  stops.push(() => cluster.close());
  const kubeconfig = cluster.kubeconfigFile(folder);
  const service = await startActionsService({
    protocol: 'https',
    address: enterpriseAddress,
    hostName: gitHubHost,
    busyPolls: true,
    installations: tenants.map(({ installation, account }) => ({ id: installation, account })),
  });
  stops.push(() => service.close());
  const client = cluster.connect('stack');
  stops.push(() => client.close());
  signal.throwIfAborted();

  await installCustomResources(client);
  const pods = startPodRecords(client);
  stops.push(() => pods.stop());
  stops.push(() => saveRecords({ client, service, folder }));
  await installGmc(client, print, signal);
  return { cluster, kubeconfig, client, service, pods };
}

async function installGmc(client: Client, print: Print, signal: AbortSignal): Promise<void> {
  const { source, manifests } = await gmcManifests();
  print(`Installs ${gmc.name} from ${source}.`);
  await ensureNamespace(client, gmc.namespace);
  for (const manifest of manifests) await applyManifest(client, manifest);
  await waitForRollout(client, gmc, { timeoutMs: rolloutTimeoutMs, signal });
  print(`  deployment/${gmc.name} is available`);
}
