import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunnerGroup } from '@interlock/api';
import { startActionsService, type ActionsService } from '@interlock/actions-service';
import { gatewayManifests, gatewayTenant } from '@interlock/charts';
import { Namespace, Secret, type Client } from '@interlock/kube';
import { runnerImage } from '@interlock/runner-image';
import type { KubeconfigFile } from '../cluster/cluster.js';
import { startEmbeddedCluster, type EmbeddedCluster } from '../cluster/embedded.js';
import { logOf, podsOf } from '../fleet/app-pods.js';
import { applyManifest } from '../fleet/apply-manifest.js';
import { installCustomResources } from '../fleet/install.js';
import { waitForRollout } from '../fleet/rollout.js';
import type { Print } from '../scenario/narrator.js';
import { groupSpec, type GroupName } from './plan.js';
import { startPodRecords, type PodRecords } from './pod-records.js';

const fieldManager = 'stack';
const rolloutTimeoutMs = 120_000;

/** The tenant's namespace, and the Deployment of its controller. */
export const { namespace } = gatewayTenant;
export const controller = { namespace, name: 'agc' };
/** The RunnerGroups of the tenant. */
const groupNames: readonly GroupName[] = ['linux', 'large'];

/** A tenant's runners in an embedded cluster, and the Actions service whose jobs they run. */
export interface JobsGateway {
  readonly cluster: EmbeddedCluster;
  readonly kubeconfig: KubeconfigFile;
  /** A client with admin permissions. */
  readonly client: Client;
  readonly service: ActionsService;
  readonly pods: PodRecords;
  close(): Promise<void>;
}

interface GatewayOptions {
  /** Folder for the files of the scenario. */
  folder: string;
  print: Print;
  /** Aborts the start. */
  signal: AbortSignal;
}

/**
 * Starts the cluster, the service, the controller and the RunnerGroups. @throws Error after stopping what was started
 */
export async function startGateway(options: GatewayOptions): Promise<JobsGateway> {
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
  { folder, print, signal }: GatewayOptions,
  stops: (() => Promise<unknown>)[],
  close: () => Promise<void>,
): Promise<JobsGateway> {
  const images = runnerImage({ folder: join(folder, 'runner') });
  const cluster = await startEmbeddedCluster({ runsPods: true, images });
  stops.push(() => cluster.close());
  const kubeconfig = cluster.kubeconfigFile(folder);
  /* Polls of a runner with a running job receive its cancellation, as those of GitHub's runner do. */
  const service = await startActionsService({ busyPolls: true });
  stops.push(() => service.close());
  const client = cluster.connect('stack');
  stops.push(() => client.close());
  signal.throwIfAborted();

  await installCustomResources(client);
  await createTenant(client, service);
  const pods = startPodRecords(client, namespace);
  stops.push(() => pods.stop());
  stops.push(() => saveRecords(client, service, folder));
  await installController(client, service, print, signal);
  for (const name of groupNames) {
    await client.apply(
      RunnerGroup,
      { metadata: { namespace, name }, spec: groupSpec(name) },
      { fieldManager },
    );
  }
  return { cluster, kubeconfig, client, service, pods, close };
}

/** Creates the namespace, and the Secret with the credential of the GitHub App. */
async function createTenant(client: Client, { app, installationId }: ActionsService): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await client.apply(Namespace, { metadata: { name: namespace, labels } }, { fieldManager });
  const stringData = {
    appId: String(app.id),
    installationId: String(installationId),
    privateKey: app.privateKey,
  };
  const metadata = { namespace, name: gatewayTenant.secret };
  await client.apply(Secret, { metadata, stringData }, { fieldManager });
}

async function installController(
  client: Client,
  { urls }: ActionsService,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  const { source, manifests } = await gatewayManifests(new URL(urls.rest).host);
  print(`Installs ${controller.name} for the tenant ${namespace} from ${source}.`);
  for (const manifest of manifests) await applyManifest(client, manifest);
  await waitForRollout(client, controller, { timeoutMs: rolloutTimeoutMs, signal });
  print(`  deployment/${controller.name} is available`);
}

/**
 * Writes the log of the controller and the journal of the service to the folder, because they are lost when the cluster
 * and the service stop.
 */
async function saveRecords(
  client: Client,
  { events, journal }: ActionsService,
  folder: string,
): Promise<void> {
  await writeFile(join(folder, 'service-events.json'), JSON.stringify(events.entries()));
  await writeFile(join(folder, 'service-requests.json'), JSON.stringify(journal.entries()));
  await mkdir(join(folder, controller.name), { recursive: true });
  for (const pod of await podsOf(client, controller)) {
    const log = (await logOf(client, pod, { previous: true })) + (await logOf(client, pod));
    await appendFile(join(folder, controller.name, `${pod.metadata.name}.log`), log);
  }
}
