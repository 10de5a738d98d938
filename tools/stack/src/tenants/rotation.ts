import { ActionsGateway } from '@interlock/api';
import { Deployment, Secret, type Client } from '@interlock/kube';
import { rolloutOf } from '../fleet/rollout.js';
import type { Print } from '../scenario/narrator.js';
import { waitFor } from '../wait-for.js';
import type { TenantsInstallation } from './installation.js';
import type { JobQueue } from './load.js';
import { own, type PlannedTenant } from './plan.js';
import { podsOfTenant } from './pods.js';
import { createCredential } from './provision.js';

/** The result of a rotation. */
interface RotationResult {
  tenant: string;
  /** Number of running jobs at its start. */
  running: number;
  /** Old pods of the controller that still exist. */
  kept: readonly string[];
  /** Number of tokens that were issued for the new key. */
  tokens: number;
}

interface RotationOptions {
  installation: TenantsInstallation;
  tenant: PlannedTenant;
  queue: JobQueue;
  /** The current private key of the App of the tenant. */
  oldKey: string;
  print: Print;
  signal: AbortSignal;
}

const rolloutTimeoutMs = 120_000;
const controller = 'actions-gateway-controller';

/** Rotates the key of the App of a tenant as its team does: it references another Secret, then deletes the old Secret and the old key. */
export async function rotateCredential(options: RotationOptions): Promise<RotationResult> {
  const { installation, tenant, queue, oldKey, print, signal } = options;
  const { client, service } = installation;
  const { namespace, account } = tenant;
  const before = await controllerPods(client, namespace);
  await createCredential({ client, service }, tenant, own.nextSecret, await service.addAppKey());
  const { length: running } = await queue.untilRunning(signal);
  const since = service.journal.seq;
  print(`${namespace}: changes gitHubAppRef.name to ${own.nextSecret}; running jobs: ${running}`);
  const patch = { spec: { gitHubAppRef: { name: own.nextSecret } } };
  const key = { namespace, name: own.gateway };
  await client.patch(ActionsGateway, key, { type: 'merge', patch }, { fieldManager: 'team' });
  await waitFor('the controller is rolled out', () => isRolled(client, namespace), signal, {
    timeoutMs: rolloutTimeoutMs,
  });
  await client.delete(Secret, { namespace, name: own.secret });
  service.removeAppKey(oldKey);
  print(`${namespace}: its controller is rolled out; Secret ${own.secret} and its key are deleted`);
  const tokensOf = (): number =>
    service.journal.entries({ since, subject: { kind: 'app' }, owner: account, status: 201 }).length;
  const tokens = await waitFor('the new key is used', () => Promise.resolve(tokensOf() || undefined), signal);
  const after = await controllerPods(client, namespace);
  return { tenant: namespace, running, kept: before.filter((name) => after.includes(name)), tokens };
}

async function controllerPods(client: Client, namespace: string): Promise<string[]> {
  return (await podsOfTenant(client, namespace, 'agc')).map(({ metadata }) => metadata.name);
}

/** Returns whether all pods of the controller mount the new Secret and are available, and the old pods are deleted. */
async function isRolled(client: Client, namespace: string): Promise<boolean> {
  const deployment = await client.get(Deployment, { namespace, name: controller });
  const volumes = deployment.spec?.template.spec?.volumes ?? [];
  if (!volumes.some(({ secret }) => secret?.secretName === own.nextSecret)) return false;
  const pods = await podsOfTenant(client, namespace, 'agc');
  return rolloutOf(deployment, pods).isAvailable && pods.length === deployment.spec?.replicas;
}

/** Returns the problems, one sentence each. Pure. */
export function findRotationProblems({ tenant, running, kept, tokens }: RotationResult): string[] {
  return [
    ...(running > 0 ? [] : [`no job of ${tenant} ran while its credential was rotated`]),
    ...kept.map((pod) => `pod ${pod} of ${tenant} still runs with the old credential`),
    ...(tokens > 0 ? [] : [`${tenant} did not use its new key`]),
  ];
}
