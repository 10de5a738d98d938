import type { Answer } from './api.js';
import type { Body } from './body.js';
import type { Scope } from './scope.js';
import { create } from './reading.js';
import { repeat } from './write.js';

/** A limit that every quota of a case has: it shows when admission enforces the quota. */
const probe = { 'count/leases.coordination.k8s.io': '0' };

/** Returns a ResourceQuota to create. */
export function resourceQuota(
  name: string,
  hard: Readonly<Record<string, string>>,
  spec: Readonly<Record<string, unknown>> = {},
): object {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec: { hard, ...spec } };
}

/** Creates a quota and waits until admission enforces it, which happens shortly after its status is set. */
export async function enforceQuota(
  scope: Scope,
  path: string,
  hard: Readonly<Record<string, string>>,
): Promise<string> {
  const quota = await countedQuota(scope, path, { ...hard, ...probe });
  const namespace = path.slice(path.lastIndexOf('/') + 1);
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'probe' } };
  await refused(() => scope.api.post(leases, lease, { query: { dryRun: 'All' } }));
  return quota;
}

/** Creates a quota and waits until its status has limits and usage. @returns its path. */
export async function countedQuota(
  scope: Scope,
  path: string,
  hard: Readonly<Record<string, string>>,
  spec: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  await create(scope, `${path}/resourcequotas`, resourceQuota('quota', hard, spec));
  const quota = `${path}/resourcequotas/quota`;
  await scope.eventually(quota, ({ body }) => Object.keys(hardOf(body)).length === Object.keys(hard).length);
  return quota;
}

/** Repeats a request until a quota refuses it. */
export function refused(request: () => Promise<Answer>): Promise<Answer> {
  return repeat(
    request,
    ({ status, body }) => status === 403 && body.message?.includes('exceeded quota') === true,
  );
}

/** Returns the usage in the status of a quota, without the limit that every quota has. */
export function usedOf({ status }: Body): Record<string, string> {
  const { used = {} } = status as { used?: Record<string, string> };
  return Object.fromEntries(Object.entries(used).filter(([name]) => !Object.hasOwn(probe, name)));
}

function hardOf({ status }: Body): Record<string, string> {
  return (status as { hard?: Record<string, string> } | undefined)?.hard ?? {};
}
