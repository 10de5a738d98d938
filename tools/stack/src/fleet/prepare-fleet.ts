import { fleetManifests } from '@interlock/charts';
import type { Platform } from '../platform.js';
import { createDeploymentFleet } from './deployment-fleet.js';
import { apps, type Fleet, type FleetMode } from './fleet.js';
import { freePort } from './free-port.js';
import { ensureNamespace } from './install.js';
import { installWebhooks } from './install-webhooks.js';
import { createProcessFleet, type GateListeners } from './process-fleet.js';

interface FleetSetup {
  mode: FleetMode;
  /** Folder for the state and the logs of the apps. */
  folder: string;
  /** Host name or address at which the API server reaches this machine, for webhooks of processes. */
  webhookHost: string;
  print?: ((line: string) => void) | undefined;
  /** Aborts the start. */
  signal?: AbortSignal | undefined;
}

/** Prepares the apps for a platform. Does not start them. */
export function prepareFleet(platform: Platform, setup: FleetSetup): Promise<Fleet> {
  return setup.mode === 'deployments'
    ? prepareDeployments(platform, setup)
    : prepareProcesses(platform, setup);
}

async function prepareDeployments({ client, forge, cluster }: Platform, setup: FleetSetup): Promise<Fleet> {
  const { source, manifests } = await fleetManifests(new URL(forge.url).host);
  setup.print?.(`Installs ${apps.join(', ')} from ${source}.`);
  return createDeploymentFleet({ ...setup, client, namespaces: cluster.namespaces, manifests });
}

/** Creates the identity of every app, and registers the admission webhooks. */
async function prepareProcesses(
  { client, admin, forge, cluster: { namespaces } }: Platform,
  { folder, webhookHost }: FleetSetup,
): Promise<Fleet> {
  await ensureNamespace(client, namespaces.system);
  const gateListeners = await gateListenersFor(webhookHost);
  const fleet = await createProcessFleet({
    client,
    admin,
    namespaces,
    folder,
    gateListeners,
    forgeUrl: forge.url,
  });
  const { port } = gateListeners.admission;
  await installWebhooks(client, 'gate-controller', { port, host: webhookHost, namespace: namespaces.system });
  return fleet;
}

/** Returns loopback addresses, except for webhooks that an API server on another machine has to reach. */
async function gateListenersFor(webhookHost: string): Promise<GateListeners> {
  const loopback = '127.0.0.1';
  const isLocal = webhookHost === 'localhost' || webhookHost.startsWith('127.');
  return {
    admission: { host: isLocal ? loopback : '', port: await freePort() },
    gates: { host: loopback, port: await freePort() },
  };
}
