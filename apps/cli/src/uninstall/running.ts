import { fieldManagers, keyOf, keyString, labels, timestampOf } from '@interlock/api';
import type { Deployment, Lease } from '@interlock/kube';

/** Why an app counts as running. */
export interface RunningApp {
  app: string;
  kind: 'Lease' | 'Deployment';
  /** `namespace/name`. */
  object: string;
  /** For a Lease: the process that renews it. */
  holder?: string;
  message: string;
}

/** Every app has the name of its field manager, and so does its Lease. */
const apps: readonly string[] = Object.values(fieldManagers);
/** There may be several instances of this app; the names of their Leases and Deployments begin with its name. */
const responder: string = fieldManagers.gitopsResponder;

/**
 * Returns the apps that are running or about to run. A Lease counts until `leaseDurationSeconds` after its `renewTime`.
 * Pure.
 *
 * @param now milliseconds since the epoch, by the clock of the API server
 */
export function runningApps(
  { leases, deployments }: { leases: readonly Lease[]; deployments: readonly Deployment[] },
  now: number,
): RunningApp[] {
  return [...leases.flatMap((lease) => ofLease(lease, now)), ...deployments.flatMap(ofDeployment)];
}

function appOf(name: string): string | undefined {
  return apps.find((app) => app === name) ?? (name.startsWith(`${responder}-`) ? responder : undefined);
}

function ofLease(lease: Lease, now: number): RunningApp[] {
  const app = appOf(lease.metadata.name);
  const { holderIdentity: holder = '', renewTime, leaseDurationSeconds = 0 } = lease.spec ?? {};
  const renewedAt = Date.parse(renewTime ?? '');
  if (app === undefined || holder === '' || !(now < renewedAt + leaseDurationSeconds * 1_000)) return [];
  const object = keyString(keyOf(lease));
  const message = `${app} is running: ${holder} renewed Lease ${object} at ${timestampOf(renewedAt)}, for ${leaseDurationSeconds}s; uninstall the app (helm uninstall), and try again when the Lease has expired`;
  return [{ app, kind: 'Lease', object, holder, message }];
}

function ofDeployment(deployment: Deployment): RunningApp[] {
  const app = appOf(deployment.metadata.labels?.[labels.appName] ?? '');
  const { replicas = 1 } = deployment.spec ?? {};
  if (app === undefined || replicas === 0 || deployment.metadata.deletionTimestamp !== undefined) return [];
  const object = keyString(keyOf(deployment));
  const message = `${app} is installed: Deployment ${object} has ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}; uninstall the app (helm uninstall), or scale it to 0`;
  return [{ app, kind: 'Deployment', object, message }];
}
