import { hostname } from 'node:os';
import type { JobHandle } from '@interlock/actions-service';
import { childName, Lease } from '@interlock/kube';
import { podsOf } from '../fleet/app-pods.js';
import type { Print } from '../scenario/narrator.js';
import { waitFor } from '../wait-for.js';
import { controller, namespace, type JobsGateway } from './gateway.js';
import type { GroupName } from './plan.js';

/** Waits until a job runs. @throws Error if it does not run within a minute */
async function untilRuns(
  { service, pods }: JobsGateway,
  job: JobHandle,
  signal: AbortSignal,
): Promise<string> {
  return waitFor(
    `${job.name} runs`,
    () => {
      const { workers = [], planId = '' } = service.job(job.id) ?? {};
      return Promise.resolve(workers.length === 0 ? undefined : pods.names.get(planId)?.at(-1));
    },
    signal,
  );
}

/** Evicts the pod of a running job through the eviction API, and waits until the run of the job has another attempt. */
export async function evictJob(
  gateway: JobsGateway,
  job: JobHandle,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  const { client, service } = gateway;
  const name = await untilRuns(gateway, job, signal);
  print(`evicts the pod ${name}, in which ${job.name} runs`);
  await client.raw({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction`,
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } },
  });
  const again = await waitFor(
    `${job.name} runs again`,
    () => Promise.resolve(service.jobs().find(({ runId, attempt }) => runId === job.runId && attempt > 1)),
    signal,
  );
  print(`${job.name} is queued again: attempt ${again.attempt} of run ${again.runId}`);
}

/** Cancels the run of a running job, as a user does. */
export async function cancelJob(
  gateway: JobsGateway,
  job: JobHandle,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  const { service } = gateway;
  const name = await untilRuns(gateway, job, signal);
  print(`cancels ${job.name} at the service while it runs in ${name}`);
  service.cancelRun(job.runId);
  await waitFor(
    `${job.name} is cancelled`,
    () => Promise.resolve(service.job(job.id)?.status === 'completed'),
    signal,
  );
  print(`${job.name} has ended: ${service.job(job.id)?.conclusion ?? ''}`);
}

/** Kills the replica that leads a group, and waits until the group is led again. */
export async function killLeader(
  gateway: JobsGateway,
  group: GroupName,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, client } = gateway;
  const lease = { namespace, name: childName('runnergroup', group) };
  const leader = (await client.get(Lease, lease)).spec?.holderIdentity ?? '';
  const pod = (await podsOf(client, controller)).find(({ metadata }) =>
    leader.startsWith(`${metadata.name}-`),
  );
  print(`sends SIGKILL to ${leader}, which leads ${group}`);
  const killedAt = Date.now();
  if (pod === undefined) killProcess(leader);
  else cluster.embedded.nodes.kill({ namespace, name: pod.metadata.name }, controller.name);
  await waitFor(
    'the kubelet restarts the container',
    async () => (await controllerRestarts(gateway)) > 0,
    signal,
  );
  print('the kubelet has restarted it');
  const { spec } = await waitFor(
    `${group} is led again`,
    async () => {
      const found = await client.get(Lease, lease);
      return Date.parse(String(found.spec?.renewTime ?? '')) > killedAt ? found : undefined;
    },
    signal,
  );
  const seconds = ((Date.now() - killedAt) / 1000).toFixed(1);
  print(`${group} is led by ${spec?.holderIdentity ?? ''}, ${seconds} s after the kill`);
}

/** Returns how often containers of the controller were restarted. */
export async function controllerRestarts({ client }: Pick<JobsGateway, 'client'>): Promise<number> {
  const pods = await podsOf(client, controller);
  const counts = pods.map(({ status }) => status?.containerStatuses?.[0]?.restartCount ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}

/* Without user namespaces, the identity of a replica consists of the name of the machine and the process id. */
function killProcess(identity: string): void {
  const pid = Number(identity.slice(identity.lastIndexOf('-') + 1));
  if (!identity.startsWith(`${hostname()}-`) || !(pid > 1)) {
    throw new Error(`${identity} is neither a pod nor a process of this machine`);
  }
  process.kill(pid, 'SIGKILL');
}
