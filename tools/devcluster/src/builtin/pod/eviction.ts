import type { Cluster, WriteContext } from '../../api/cluster.js';
import { ApiError, notFound } from '../../api/api-error.js';
import { deleteObject, type DeleteOptions } from '../../api/delete.js';
import { updateObject } from '../../api/update.js';
import { podTest } from '../../controllers/disruption/decide.js';
import { controller } from '../../controllers/identity.js';
import { isActive } from '../../controllers/pod-state.js';
import { valueAt, type KubeObject } from '../../object.js';
import type { Call, CallAnswer } from '../../registry/resource.js';
import { isObject, jsonEqual } from '../../schema/json.js';
import type { Json } from '../../schema/types.js';
import { deleteOptions } from '../../server/delete-options.js';
import { keyOf } from '../../store/entry.js';
import { charged, ignoresBudgets, isFreeOfCharge, stillProcessed } from './eviction-budget.js';
import { podDisruptionBudget } from '../pod-disruption-budget.js';
import { admitSubresource, asNamed, created, withOwnCondition } from './subresource.js';

const attempts = 20;
const severalBudgets =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

/** The dependencies of an eviction. The server makes the writes itself, without admission. */
interface Eviction {
  call: Call;
  bare: Cluster;
  context: WriteContext;
  options: DeleteOptions;
}

/** Handles `POST …/pods/<name>/eviction`: deletes the pod unless a PodDisruptionBudget forbids it. Throws ApiError. */
export async function evictPod(call: Call): Promise<CallAnswer> {
  const { cluster, context } = call;
  const object = asNamed(call, ['policy/v1', 'policy/v1beta1'], 'Eviction');
  const sent = valueAt(object, 'deleteOptions');
  const { dryRun, ...options } = deleteOptions(isObject(sent) ? sent : {}, call.query);
  checkDryRun(call.query.getAll('dryRun'), sent);
  await admitSubresource(call, 'eviction', 'policy', object);
  await evict({
    call,
    options,
    bare: { ...cluster, admission: [] },
    context: { ...context, dryRun: dryRun || context.dryRun },
  });
  return created;
}

/** Checks that the options of the request and those in its body do not differ. */
function checkDryRun(requested: readonly string[], sent: Json | undefined): void {
  const own = isObject(sent) ? (sent['dryRun'] ?? []) : [];
  if (!Array.isArray(own) || own.length === 0 || requested.length === 0 || jsonEqual(own, requested)) return;
  const message = `Non-matching dry-run options in request and content: [${requested.join(' ')}] and [${own.join(' ')}]`;
  throw new ApiError(500, undefined, message);
}

async function evict(eviction: Eviction): Promise<void> {
  const { options } = eviction;
  for (let attempt = 1; ; attempt += 1) {
    const pod = livePod(eviction.call);
    if (!ignoresBudgets(pod)) {
      await evictWithBudget(eviction, pod);
      return;
    }
    try {
      await remove(eviction, isActive(pod) ? unchanged(options, pod) : options);
      return;
    } catch (error) {
      const isRace = options.preconditions?.resourceVersion === undefined && isConflict(error);
      if (!isRace || attempt === attempts) throw error;
    }
  }
}

async function evictWithBudget(eviction: Eviction, pod: KubeObject): Promise<void> {
  const { call, bare, context, options } = eviction;
  const { namespace, name, cluster } = call;
  const budgets = cluster.store
    .entries(podDisruptionBudget.collection, namespace)
    .filter(({ object }) => podTest(object)(pod.metadata.labels));
  if (budgets.length > 1) throw new ApiError(500, undefined, severalBudgets);
  const budget = budgets[0]?.object;
  if (budget === undefined) {
    await remove(eviction, options);
    return;
  }
  if (!isFreeOfCharge(pod, budget)) {
    const change = (live: KubeObject): KubeObject => ({
      ...live,
      status: charged(live, name, cluster.now()),
    });
    const update = { namespace, name: budget.metadata.name, subresource: 'status', change };
    const { dryRun } = context;
    await updateObject(bare, podDisruptionBudget, update, {
      ...controller,
      manager: 'kube-apiserver',
      dryRun,
    });
    await remove(eviction, options);
    return;
  }
  try {
    await remove(eviction, unchanged(options, pod));
  } catch (error) {
    if (options.preconditions?.resourceVersion !== undefined || !isConflict(error)) throw error;
    throw stillProcessed(budget.metadata.name);
  }
}

function livePod({ cluster, resource, namespace, name }: Call): KubeObject {
  const pod = cluster.store.get(resource.collection, keyOf(namespace, name))?.object;
  if (pod === undefined) throw notFound({ group: '', kind: resource.plural, name });
  return pod;
}

/** Returns the options with the precondition that the pod has not changed. */
function unchanged(options: DeleteOptions, { metadata }: KubeObject): DeleteOptions {
  const { resourceVersion = metadata.resourceVersion ?? '' } = options.preconditions ?? {};
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 409;
}

/** Adds the condition that states the cause of the disruption to the pod, and then deletes the pod. */
async function remove({ call, bare, context }: Eviction, options: DeleteOptions): Promise<void> {
  const { resource, namespace, name, cluster } = call;
  const place = { namespace, name };
  const checked = await deleteObject(bare, resource, place, options, { ...context, dryRun: true });
  if (context.dryRun) return;
  const { uid = '' } = checked.object.metadata;
  const change = (live: KubeObject): KubeObject => {
    if (live.metadata.uid !== uid) throw notFound({ group: '', kind: resource.plural, name });
    return withOwnCondition(
      live,
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      },
      cluster.now(),
    );
  };
  const update = { ...place, subresource: 'status', managed: true, change };
  const { object } = await updateObject(bare, resource, update, context);
  const version = object.metadata.resourceVersion ?? '';
  const preconditions = {
    uid,
    ...(options.preconditions?.resourceVersion !== undefined && { resourceVersion: version }),
  };
  await deleteObject(bare, resource, place, { ...options, preconditions }, context);
}
