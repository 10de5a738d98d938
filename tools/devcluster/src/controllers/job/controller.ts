import type { Cluster } from '../../api/cluster.js';
import { jobKind } from '../../builtin/job/kind.js';
import { podKind } from '../../builtin/pod/kind.js';
import { errorText } from '../../error-text.js';
import type { KubeObject } from '../../object.js';
import { keyOf, type StoreEvent } from '../../store/entry.js';
import { record } from '../events.js';
import { runController } from '../keyed-controller.js';
import { controllerOf, selects } from '../ownership.js';
import { changeAs, claimAs, createAs, deleteAs, isNamespaceTerminating, writeStatus } from '../writes.js';
import { decide, type JobNote, type JobPlan } from './decide.js';
import { isTracked, newPod, track, untrack } from './job-pods.js';

const { collection } = jobKind;
const component = 'job-controller';
const nameLabel = 'batch.kubernetes.io/job-name';

/** Runs the pods of each Job to its end. Returns a function that stops the controller. */
export function startJobs(cluster: Cluster): () => void {
  const pods = cluster.store.entries('pods').filter(({ object }) => isTracked(object));
  return runController(cluster, {
    collection,
    firstKeys: pods.flatMap(({ object }) => keysOfPod(cluster, object)),
    keysOf: (event) => keysOf(cluster, event),
    sync: (key) => sync(cluster, key),
  });
}

function keysOf(cluster: Cluster, { entry, previous }: StoreEvent): string[] {
  if (entry.collection === collection) return [entry.key];
  if (entry.collection !== 'pods') return [];
  return [entry, ...(previous === undefined ? [] : [previous])].flatMap(({ object }) =>
    keysOfPod(cluster, object),
  );
}

/**
 * Returns the key of the Job that owns a pod. For a pod without an owner, returns the keys of the Jobs that may adopt
 * the pod, and of the Job that created it.
 */
function keysOfPod({ store }: Cluster, pod: KubeObject): string[] {
  const { namespace = '', labels = {} } = pod.metadata;
  const owner = controllerOf(pod);
  if (owner !== undefined) return owner.kind === 'Job' ? [keyOf(namespace, owner.name)] : [];
  const adopters = store.entries(collection, namespace).filter(({ object }) => selects(object, pod));
  const origin = isTracked(pod) ? labels[nameLabel] : undefined;
  return [...adopters.map(({ key }) => key), ...(origin === undefined ? [] : [keyOf(namespace, origin)])];
}

async function sync(cluster: Cluster, key: string): Promise<number | undefined> {
  const job = cluster.store.get(collection, key)?.object;
  await releaseStrays(cluster, key, job);
  if (job === undefined) return undefined;
  const pods = await observe(cluster, job);
  const plan = decide({ job, pods, now: cluster.clock.now() });
  if (plan === undefined) return undefined;
  const { created, error } = await changePods(cluster, job, plan);
  const active = Number(plan.status['active'] ?? 0) - (plan.create.length - created);
  const { active: _planned, ...status } = plan.status;
  await writeStatus(cluster, jobKind, job, active > 0 ? { ...status, active } : status);
  for (const pod of plan.untrack) await changeAs(cluster, podKind, pod, untrack);
  for (const note of plan.notes) await report(cluster, job, note);
  if (error !== undefined) throw error;
  return plan.waitMs;
}

/** Removes the finalizer from pods whose Job was deleted, or which their Job has released. */
async function releaseStrays(cluster: Cluster, key: string, job: KubeObject | undefined): Promise<void> {
  const namespace = key.slice(0, key.indexOf('/'));
  for (const { object: pod } of cluster.store.entries('pods', namespace)) {
    if (!isTracked(pod) || !keysOfPod(cluster, pod).includes(key)) continue;
    const owner = controllerOf(pod);
    const isOwned = owner !== undefined && owner.uid === job?.metadata.uid;
    const isAdoptable =
      owner === undefined &&
      job !== undefined &&
      job.metadata.deletionTimestamp === undefined &&
      selects(job, pod);
    if (!isOwned && !isAdoptable) await changeAs(cluster, podKind, pod, untrack);
  }
}

function observe(cluster: Cluster, job: KubeObject): Promise<KubeObject[]> {
  const candidates = cluster.store.entries('pods', job.metadata.namespace).map(({ object }) => object);
  return claimAs(cluster, podKind, job, candidates, { adopt: track, release: untrack });
}

function report(cluster: Cluster, job: KubeObject, note: JobNote): Promise<void> {
  return record(cluster, { regarding: job, component, ...note });
}

/** Creates and deletes pods until one is refused. Returns the number of created pods, and the reason of the refusal. */
async function changePods(
  cluster: Cluster,
  job: KubeObject,
  { create, remove, countsRemoved }: JobPlan,
): Promise<{ created: number; error?: unknown }> {
  let created = 0;
  try {
    for (const index of create) {
      const pod = await createAs(cluster, podKind, job.metadata.namespace ?? '', newPod(job, index));
      created += 1;
      const note = `Created pod: ${pod.metadata.name}`;
      await report(cluster, job, { type: 'Normal', reason: 'SuccessfulCreate', note });
    }
    for (const pod of remove) {
      if (!countsRemoved) await changeAs(cluster, podKind, pod, untrack);
      const isDeleted = await deleteAs(cluster, podKind, pod);
      const note = `Deleted pod: ${pod.metadata.name}`;
      if (isDeleted) await report(cluster, job, { type: 'Normal', reason: 'SuccessfulDelete', note });
    }
  } catch (error) {
    if (isNamespaceTerminating(error)) return { created };
    const [reason, verb] =
      created < create.length ? ['FailedCreate', 'creating'] : ['FailedDelete', 'deleting'];
    const note = `Error ${verb}: ${errorText(error)}`;
    await report(cluster, job, { type: 'Warning', reason, note });
    return { created, error };
  }
  return { created };
}
