import { ActionsGateway, ifFound } from '@interlock/api';
import type { Print } from '../scenario/narrator.js';
import { waitFor } from '../wait-for.js';
import type { TenantsInstallation } from './installation.js';
import type { JobQueue } from './load.js';
import { namespaceContent } from './namespace-content.js';
import { own, type PlannedTenant } from './plan.js';

/** The result of the deletion of a tenant. */
interface RemovalResult {
  tenant: string;
  /** Number of runners of its account at GitHub before and after the deletion. */
  runners: { before: number; after: number };
  /** Remaining objects of its namespace that its team did not create, as `Kind/name`. */
  left: readonly string[];
}

interface RemovalOptions {
  installation: TenantsInstallation;
  tenant: PlannedTenant;
  /** Objects of its namespace before its gateway was created. */
  content: ReadonlySet<string>;
  /** Jobs of the other tenant, which continue. */
  others: JobQueue;
  print: Print;
  signal: AbortSignal;
}

const goneTimeoutMs = 180_000;
/* Objects of a deleted gateway are garbage-collected, and pods have a grace period. */
const collection = { timeoutMs: 90_000, pollMs: 1_000 };

/** Deletes a tenant, and waits until a job of the other tenant that was queued afterwards has ended. */
export async function removeTenant(options: RemovalOptions): Promise<RemovalResult> {
  const { installation, tenant, content, others, print, signal } = options;
  const { client, service } = installation;
  const { namespace, account } = tenant;
  const runnersOf = (): number => service.runners().filter(({ scope }) => scope === `orgs/${account}`).length;
  const before = runnersOf();
  const key = { namespace, name: own.gateway };
  const { length: running } = await others.untilRunning(signal);
  print(
    `${namespace}: deleting its gateway; runners at GitHub: ${before}, running jobs of the other tenant: ${running}`,
  );
  await client.delete(ActionsGateway, key);
  const isGone = async (): Promise<boolean> => (await ifFound(client.get(ActionsGateway, key))) === undefined;
  await waitFor(`the gateway of ${namespace} is deleted`, isGone, signal, { timeoutMs: goneTimeoutMs });
  const after = runnersOf();
  print(`${namespace}: its gateway is deleted; runners at GitHub: ${after}`);
  const leftNow = async (): Promise<string[]> =>
    [...(await namespaceContent(client, namespace))].filter((id) => !content.has(id));
  const isEmpty = async (): Promise<boolean> => (await leftNow()).length === 0;
  await waitFor(
    `the objects of the gateway of ${namespace} are garbage-collected`,
    isEmpty,
    signal,
    collection,
  ).catch(() => signal.throwIfAborted());
  const left = await leftNow();
  print(`${namespace}: objects that its team did not create: ${left.length}`);
  const next = others.add();
  const hasEnded = (): Promise<boolean> => Promise.resolve(service.job(next.id)?.status === 'completed');
  await waitFor(`${next.name} ends`, hasEnded, signal);
  return { tenant: namespace, runners: { before, after }, left };
}

/** Returns the problems, one sentence each. Pure. */
export function findRemovalProblems({ tenant, runners, left }: RemovalResult): string[] {
  return [
    ...(runners.before > 0 ? [] : [`${tenant} had no runner at GitHub, so its removal proves nothing`]),
    ...(runners.after === 0 ? [] : [`${runners.after} runners of ${tenant} are left at GitHub`]),
    ...left.map((id) => `${id} of ${tenant} is left in its namespace`),
  ];
}
