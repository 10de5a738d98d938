import {
  ifFound,
  RunnerGroup,
  runnerFinalizers,
  runnerLabels,
  workerServiceAccount,
  workloadComponent,
  type ActionsGateway,
} from '@interlock/api';
import { isProblem, Problem } from '@interlock/base';
import { NetworkPolicy, Pod, type Deployment } from '@interlock/kube';
import { gatewayProblems } from '../admission/gateway-rules.js';
import { groupsOf, ownedBy, ownedObject } from '../caches.js';
import type { GmcContext } from '../context.js';
import { isCentral, namespaceOf } from '../render/context.js';
import { reduceObject } from '../reduce.js';
import { names } from '../render/names.js';
import { ownerUidsOf } from '../render/objects.js';
import { readCaBundle } from './ca-bundle.js';
import { readCredential } from './credential.js';
import { tenantLabel } from './decide.js';
import type { ObservedGateway, OwnedObject, PodCount } from './observed.js';

/** Reads a gateway and its Secret from the API server, and its other objects from caches. @throws TypedError */
export async function observeGateway(
  context: GmcContext,
  gateway: ActionsGateway,
  signal: AbortSignal,
): Promise<ObservedGateway> {
  const { caches, installation, policy, manager } = context;
  const namespace = namespaceOf(gateway);
  const { labels = {} } = caches.namespaces.get({ name: namespace })?.metadata ?? {};
  const githubRanges = context.githubRanges();
  const others = olderGateways(context, gateway);
  const isTenant = labels[tenantLabel.key] === tenantLabel.value;
  const problems = gatewayProblems(gateway, undefined, {
    policy,
    namespaceLabels: labels,
    others,
  });
  const notRead = unread(gateway, isTenant && problems.length === 0);
  const caBundle = notRead ? undefined : await readCaBundle(manager.client, gateway, signal);
  const isLast = gateway.metadata.deletionTimestamp !== undefined && !isReplaced(context, gateway);
  const proxy = caches.deployments.get({ name: names.proxy, namespace });
  const controller = caches.deployments.get({ name: names.controller, namespace });
  return {
    gateway,
    context: {
      installation,
      githubRanges: githubRanges?.ranges,
      apiServerPorts: await context.apiServerPorts(),
      credentialSecret: isCentral(gateway) ? names.credential : gateway.spec.gitHubAppRef.name,
      controllerReplicas: controller?.spec?.replicas,
      controllerVersion: controller?.metadata.resourceVersion,
      caBundleDigest: isProblem(caBundle) ? undefined : caBundle?.digest,
    },
    isTenant,
    problems,
    credential: notRead ?? (await readCredential(manager.client, gateway, signal)),
    caBundle,
    githubRanges,
    areRangesAwaited: context.areRangesAwaited(),
    hasEgressRules: githubRanges === undefined && (await hasEgressRules(context, gateway, signal)),
    proxy: podCountOf(proxy),
    controller: podCountOf(controller),
    groups: groupsOf(caches, gateway),
    /* The controller of the namespace belongs to the oldest gateway. */
    served: others.length === 0 ? caches.groups.list({ namespace }) : [],
    owned: await ownedObjects(context, gateway, signal),
    strays: isLast ? await strayGroups(context, gateway, signal) : [],
    workers: isLast ? await workersOf(context, gateway, signal) : 0,
  };
}

/**
 * Returns the objects of a gateway. Before the gateway is gone, its NetworkPolicies are read from the API server: a cache may not contain
 * a new one yet, and the garbage collector does not delete them.
 */
async function ownedObjects(
  { caches, manager }: GmcContext,
  gateway: ActionsGateway,
  signal: AbortSignal,
): Promise<OwnedObject[]> {
  const owned = ownedBy(caches, gateway);
  const { namespace, uid = '', deletionTimestamp } = gateway.metadata;
  if (deletionTimestamp === undefined) return owned;
  const policies = await collectFrom(
    manager.client.listPages(NetworkPolicy, { namespace, metadataOnly: true, signal }),
    (policy) => (ownerUidsOf(policy).includes(uid) ? ownedObject(NetworkPolicy, policy) : undefined),
  );
  return [...owned.filter(({ kind }) => kind.kind !== NetworkPolicy.kind), ...policies];
}

/** Returns why the Secret is not read. The status of a refused gateway must not reveal anything about Secrets of other namespaces. */
function unread({ metadata }: ActionsGateway, isAccepted: boolean): Problem | undefined {
  if (metadata.deletionTimestamp !== undefined)
    return new Problem('Deleting', 'the gateway is being deleted');
  return isAccepted ? undefined : new Problem('NotRead', 'the Secret is read when the gateway is accepted');
}

/** Returns the names of older gateways in the namespace. A second gateway that bypassed the webhook waits until they are deleted. */
function olderGateways({ caches }: GmcContext, { metadata }: ActionsGateway): string[] {
  const age = (one: ActionsGateway['metadata']) => `${one.creationTimestamp ?? ''}/${one.name}`;
  return caches.gateways
    .list({ namespace: metadata.namespace })
    .filter((other) => other.metadata.uid !== metadata.uid && age(other.metadata) < age(metadata))
    .map((other) => other.metadata.name);
}

/** Returns whether another gateway of the namespace takes over its pods and the RunnerGroups that no gateway owns. */
function isReplaced({ caches }: GmcContext, { metadata: { namespace, uid } }: ActionsGateway): boolean {
  return caches.gateways.list({ namespace }).some((other) => other.metadata.uid !== uid);
}

/**
 * Returns the RunnerGroups of {@link ObservedGateway.strays}. They are read from the API server, because a cache may not contain a
 * new one yet.
 */
async function strayGroups(
  { manager }: GmcContext,
  { metadata }: ActionsGateway,
  signal: AbortSignal,
): Promise<readonly RunnerGroup[]> {
  const { namespace, uid } = metadata;
  const isStray = (group: RunnerGroup) =>
    group.metadata.finalizers?.includes(runnerFinalizers.agentPoolCleanup) === true &&
    group.metadata.ownerReferences?.some((owner) => owner.uid === uid) !== true;
  const pages = manager.client.listPages(RunnerGroup, { namespace, metadataOnly: true, signal });
  const strays = collectFrom(pages, (group) =>
    isStray(group) ? (reduceObject(group) as RunnerGroup) : undefined,
  );
  return (await ifFound(strays)) ?? [];
}

/** Returns the values of the listed objects that have one. A team can create any number of large objects, which are not kept. */
async function collectFrom<T, R>(
  pages: AsyncIterable<{ items: readonly T[] }>,
  valueOf: (object: T) => R | undefined,
): Promise<R[]> {
  const values: R[] = [];
  for await (const { items } of pages)
    for (const item of items) {
      const value = valueOf(item);
      if (value !== undefined) values.push(value);
    }
  return values;
}

/** Pods of the controller have the same component. */
const workerSelector = `${runnerLabels.component}=${workloadComponent},app.kubernetes.io/name=${workerServiceAccount}`;

/** Returns {@link ObservedGateway.workers}. */
async function workersOf(
  { manager }: GmcContext,
  { metadata }: ActionsGateway,
  signal: AbortSignal,
): Promise<number> {
  const { namespace } = metadata;
  const pages = manager.client.listPages(Pod, { namespace, labelSelector: workerSelector, signal });
  return (await collectFrom(pages, (pod) => mayRun(pod) || undefined)).length;
}

/** Returns whether the containers of a pod may run: it is bound to a node, and has not ended. */
function mayRun({ spec, status }: Pod): boolean {
  return Boolean(spec?.nodeName) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** Returns whether the NetworkPolicy of the proxy has a rule besides the rule for the DNS. The cache does not contain its rules. */
async function hasEgressRules(
  { manager }: GmcContext,
  gateway: ActionsGateway,
  signal: AbortSignal,
): Promise<boolean> {
  const key = { name: names.proxy, namespace: namespaceOf(gateway) };
  const policy = await ifFound(manager.client.get(NetworkPolicy, key, { signal }));
  return (policy?.spec?.egress?.length ?? 0) > 1;
}

/** The names of the containers of the two Deployments. */
const programs: ReadonlySet<string> = new Set(['agc', 'egress-proxy']);

/** Returns the state of the pods of a Deployment; undefined if it does not exist. */
export function podCountOf(deployment: Deployment | undefined): PodCount | undefined {
  if (deployment === undefined) return undefined;
  const { metadata, spec, status = {} } = deployment;
  const {
    observedGeneration,
    replicas = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    conditions = [],
  } = status;
  const failure = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  return {
    ready: readyReplicas,
    /* Admission may have added containers. */
    image: spec?.template.spec?.containers.find(({ name }) => programs.has(name))?.image,
    isRollingOut: observedGeneration !== metadata.generation || updatedReplicas !== replicas,
    isStopped: spec?.replicas === 0,
    failure: failure?.message,
  };
}
