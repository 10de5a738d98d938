import { Pod } from '@interlock/kube';
import { jobRows } from '../jobs/table.js';
import { verdictLine } from '../jobs/verdict.js';
import type { Print } from '../scenario/narrator.js';
import { waitFor } from '../wait-for.js';
import type { TenantsInstallation } from './installation.js';
import { JobQueue } from './load.js';
import { deleted, rotated, tenants, type PlannedTenant } from './plan.js';
import type { CreatedTenant } from './provision.js';
import { findRemovalProblems, removeTenant } from './removal.js';
import { findRotationProblems, rotateCredential } from './rotation.js';
import { jobTable, startAddresses, tenantTable, type TenantJob } from './table.js';
import { trafficOf } from './traffic.js';
import { findJobProblems } from './verdict.js';

/** Number of jobs of the tenant that is deleted. */
const deletedJobs = 4;
/** Number of open jobs of the other tenant during the scenes: some run, some wait. */
const openJobs = 3;
const endTimeoutMs = 120_000;

interface ScenarioOptions {
  installation: TenantsInstallation;
  /** The inputs of each tenant, by namespace. */
  created: ReadonlyMap<string, CreatedTenant>;
  print: Print;
  signal: AbortSignal;
}

/** Runs jobs of both tenants, rotates the credential of one and deletes the other. Returns the problems at the end, one sentence each. */
export async function runScenario({
  installation,
  created,
  print,
  signal,
}: ScenarioOptions): Promise<string[]> {
  const { service, client } = installation;
  const startedAt = Date.now();
  const timed: Print = (line) =>
    print(`  ${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${line}`);
  const queues = { rotated: new JobQueue(service, rotated), deleted: new JobQueue(service, deleted) };
  timed(
    `queues ${deletedJobs} jobs of ${deleted.repository}, and keeps ${openJobs} jobs of ${rotated.repository} open`,
  );
  for (let count = 0; count < deletedJobs; count++) queues.deleted.add();
  const feeding = new AbortController();
  const fed = queues.rotated.keepOpen(openJobs, AbortSignal.any([signal, feeding.signal]));
  const createdOf = ({ namespace }: PlannedTenant): CreatedTenant => created.get(namespace) as CreatedTenant;
  try {
    const base = { installation, print: timed, signal };
    const { privateKey } = createdOf(rotated);
    const rotation = await rotateCredential({
      ...base,
      tenant: rotated,
      queue: queues.rotated,
      oldKey: privateKey,
    });
    await untilEnded(queues.deleted, deleted, signal);
    timed(`${deleted.namespace}: its jobs have ended`);
    const { content } = createdOf(deleted);
    const removal = await removeTenant({ ...base, tenant: deleted, content, others: queues.rotated });
    feeding.abort();
    await untilEnded(queues.rotated, rotated, signal);
    timed(`${rotated.namespace}: its jobs have ended`);
    const scenes = [...findRotationProblems(rotation), ...findRemovalProblems(removal)];
    return [...scenes, ...conclude(installation, startedAt, await restartsOf(client), print)];
  } finally {
    feeding.abort();
    await fed;
  }
}

async function untilEnded(queue: JobQueue, { namespace }: PlannedTenant, signal: AbortSignal): Promise<void> {
  const hasEnded = (): Promise<boolean> => Promise.resolve(queue.open().length === 0);
  await waitFor(`the jobs of ${namespace} end`, hasEnded, signal, { timeoutMs: endTimeoutMs });
}

/** Returns how often containers of the existing controllers and proxies were restarted. */
async function restartsOf(client: TenantsInstallation['client']): Promise<number> {
  const labelSelector = 'app.kubernetes.io/name in (agc, egress-proxy)';
  const { items } = await client.list(Pod, { labelSelector });
  return items
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** Prints the tables. Returns the problems with jobs and requests. */
function conclude(
  { service, pods }: TenantsInstallation,
  startedAt: number,
  restarts: number,
  print: Print,
): string[] {
  const requests = service.journal.entries();
  const traffic = trafficOf(requests, pods.proxies, tenants);
  const jobs = tenantJobs({ service, pods }, startedAt);
  const rows = traffic.tenants.map((row) => {
    const own = jobs.filter(({ tenant }) => tenant === row.tenant);
    const succeeded = own.filter(({ outcome }) => outcome === 'success').length;
    const end = row.tenant === deleted.namespace ? 'deleted' : 'has another credential';
    return { ...row, jobs: own.length, succeeded, end };
  });
  const verdict = service.verdict();
  print(`\n${jobTable(jobs).join('\n')}\n\n${tenantTable(rows).join('\n')}\n\n${verdictLine(verdict)}`);
  const end = { jobs, verdict, proxies: pods.proxies, restarts };
  return [...findJobProblems(end), ...traffic.problems];
}

function tenantJobs(
  { service, pods }: Pick<TenantsInstallation, 'service' | 'pods'>,
  startedAt: number,
): TenantJob[] {
  const events = service.events.entries();
  const addresses = startAddresses(events, service.journal.entries());
  return tenants.flatMap(({ namespace, repository }) => {
    const jobs = service.jobs().filter((job) => job.repository === repository);
    const lastOf = (run: string): string => jobs.findLast(({ runId }) => runId === run)?.id ?? '';
    const runs = [...new Set(jobs.map(({ runId }) => runId))];
    return jobRows({ jobs, events, pods: pods.workers, startedAt }).map((row, index) => ({
      ...row,
      tenant: namespace,
      via: addresses.get(lastOf(runs[index] ?? '')),
    }));
  });
}
