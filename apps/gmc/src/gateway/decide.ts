import { conditions, RunnerGroup, runnerFinalizers, type ActionsGateway } from '@interlock/api';
import { isProblem } from '@interlock/base';
import { Deployment, getCondition, NetworkPolicy } from '@interlock/kube';
import { names } from '../render/names.js';
import type { Rendered } from '../render/objects.js';
import { render } from '../render/render.js';
import type { ObservedGateway, OwnedObject } from './observed.js';
import { isOtherRelease } from './release.js';

/**
 * The next step for a tenant.
 *
 * - `refuse`: nothing is applied or removed until the gateway or its namespace changes.
 * - `provision`: `objects` are applied in this order, then `prune` are removed.
 * - `drain`: the gateway is being deleted; its RunnerGroups are deleted, and their controller has time to remove the runners at
 *   GitHub. RunnerGroups whose runners no controller removes are first named in the status (`givenUp`), then released
 *   (`abandoned`).
 * - `dismantle`: the other objects are deleted, the NetworkPolicies when no worker pod is left. RunnerGroups of other owners are
 *   released like abandoned ones when their controller is deleted.
 * - `release`: all objects are deleted, and the finalizer is removed.
 */
export type GatewayDecision =
  | { type: 'refuse'; reason: string; message: string }
  | { type: 'provision'; objects: readonly Rendered[]; prune: readonly OwnedObject[] }
  | {
      type: 'drain';
      remove: readonly OwnedObject[];
      givenUp: readonly RunnerGroup[];
      abandoned: readonly RunnerGroup[];
      nextAt: number;
    }
  | { type: 'dismantle'; remove: readonly OwnedObject[] }
  | { type: 'release' };

/** Label by which the platform team marks the namespaces of tenants. */
export const tenantLabel = { key: 'actions-gateway.github.com/tenant', value: 'true' } as const;

/** How long the gmc waits for runners to be removed. The controller gives up on a runner after 25 minutes. */
const drainMs = 30 * 60_000;
/** How long the controller of a tenant that is being deleted may be without a ready pod. */
const controllerGraceMs = 2 * 60_000;
/** How long the NetworkPolicies of worker pods are kept: a pod whose RunnerGroup is gone may have a grace period of an hour. */
const isolationMs = drainMs + 65 * 60_000;

/** Decides what is applied for a gateway, and what is removed. Pure. */
export function decideGateway(observed: ObservedGateway, now: number): GatewayDecision {
  const { gateway, isTenant, problems } = observed;
  const { deletionTimestamp, namespace = '' } = gateway.metadata;
  if (deletionTimestamp !== undefined) return decideTeardown(observed, Date.parse(deletionTimestamp), now);
  if (!isTenant) {
    const { key, value } = tenantLabel;
    const message = `namespace ${namespace} is not a tenant namespace: ask the platform team to label it ${key}=${value}`;
    return { type: 'refuse', reason: 'NamespaceNotAllowed', message };
  }
  if (problems.length > 0) {
    return { type: 'refuse', reason: 'InvalidSpec', message: messageOf(problems) };
  }
  const desired = render(gateway, observed.context);
  const ids = new Set(desired.map(({ kind, configuration }) => idOf(kind, configuration.metadata.name)));
  const prune = observed.owned.filter(
    ({ kind, name, isBeingDeleted }) => !isBeingDeleted && !ids.has(idOf(kind, name)),
  );
  return { type: 'provision', objects: desired.filter((object) => isDue(object, observed)), prune };
}

const shownProblems = 10;

function messageOf(problems: ObservedGateway['problems']): string {
  const shown = problems.slice(0, shownProblems).map(({ field, message }) => `${field}: ${message}`);
  const more = problems.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more problems; correct these first`] : [])].join('; ');
}

/**
 * Returns whether an object is applied now. A running controller is not replaced while its credential or its certificate authorities cannot
 * be used, nor by one of another release before its proxy.
 * Egress rules are not replaced while the networks of GitHub or the ports of the API server are unknown, as they are right after
 * the start.
 */
function isDue({ kind, configuration }: Rendered, observed: ObservedGateway): boolean {
  const { gateway, credential, caBundle, controller, githubRanges } = observed;
  const { name } = configuration.metadata;
  if (kind.kind === Deployment.kind && name === names.controller)
    return (
      controller === undefined || !(isProblem(credential) || isProblem(caBundle) || awaitsProxy(observed))
    );
  if (kind.kind === NetworkPolicy.kind && name === names.controller)
    return observed.context.apiServerPorts !== undefined || !isOwned(observed, kind, name);
  return (
    githubRanges !== undefined ||
    kind.kind !== NetworkPolicy.kind ||
    name !== names.proxy ||
    !(gateway.spec.proxy.managedNetworkPolicy && observed.hasEgressRules)
  );
}

/**
 * Returns whether another release of the controller waits until all pods of the proxy have their image: the workers of a new controller may
 * connect to the proxy in a way that the pods of an earlier release do not support.
 */
export function awaitsProxy({ context, proxy, controller }: ObservedGateway): boolean {
  const { images } = context.installation;
  const isReplaced = controller?.image !== undefined && isOtherRelease(controller.image, images.controller);
  if (!isReplaced || proxy?.image === undefined) return false;
  return isOtherRelease(proxy.image, images.proxy) || proxy.isRollingOut === true;
}

function isOwned({ owned }: ObservedGateway, kind: { kind: string }, name: string): boolean {
  return owned.some((object) => object.kind.kind === kind.kind && object.name === name);
}

function idOf(kind: { kind: string }, name: string): string {
  return `${kind.kind}/${name}`;
}

function decideTeardown(observed: ObservedGateway, deletedAt: number, now: number): GatewayDecision {
  const { gateway, owned, controller, strays, workers, isTenant } = observed;
  const isGroup = ({ kind }: OwnedObject) => kind.kind === RunnerGroup.kind;
  const groups = [...observed.groups, ...strays.filter(isBeingDeleted)].filter(hasRunners);
  if (groups.length > 0) {
    const isOrphaned = (controller?.ready ?? 0) === 0 && now >= deletedAt + controllerGraceMs;
    const isLate = now >= deletedAt + drainMs;
    return {
      type: 'drain',
      remove: owned.filter((object) => isGroup(object) && !object.isBeingDeleted),
      givenUp: isOrphaned || isLate ? groups : [],
      abandoned: isReported(gateway) ? groups : [],
      nextAt: now < deletedAt + controllerGraceMs ? deletedAt + controllerGraceMs : now + 15_000,
    };
  }
  const rest = owned
    .filter((object) => !isGroup(object) && !object.isBeingDeleted)
    .sort((a, b) => removalRank(a) - removalRank(b));
  const isIsolating = workers > 0 && now < deletedAt + isolationMs;
  const remove = rest.filter(({ kind }) => !isIsolating || kind.kind !== NetworkPolicy.kind);
  if (remove.length > 0) return { type: 'dismantle', remove };
  /* Without a controller they could not be deleted any more. The policies of the chart refuse writes outside the namespaces of tenants. */
  if (strays.length > 0 && isTenant && now < deletedAt + drainMs) {
    const abandoned = isReported(gateway) ? strays : [];
    return { type: 'drain', remove: [], givenUp: strays, abandoned, nextAt: now };
  }
  return rest.length > 0 ? { type: 'dismantle', remove } : { type: 'release' };
}

function isBeingDeleted({ metadata }: RunnerGroup): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/**
 * Returns the position of an object in the order of a teardown: the Deployments first, so that no pod loses its permissions, and
 * the NetworkPolicies last.
 */
function removalRank({ kind }: OwnedObject): number {
  if (kind.kind === Deployment.kind) return 0;
  return kind.kind === NetworkPolicy.kind ? 2 : 1;
}

/** Reason of the condition Ready of a gateway whose runners could not all be removed at GitHub. */
export const teardownIncomplete = 'TeardownIncomplete';

/** Returns whether the status of a gateway names the RunnerGroups that are given up. The status is the record that survives a restart. */
export function isReported({ status }: ActionsGateway): boolean {
  return getCondition(status?.conditions, conditions.ready)?.reason === teardownIncomplete;
}

/** Returns whether a RunnerGroup still has to remove its runners. The gmc does not wait for one that only a foreign finalizer holds. */
function hasRunners({ metadata: { deletionTimestamp, finalizers = [] } }: RunnerGroup): boolean {
  return deletionTimestamp === undefined || finalizers.includes(runnerFinalizers.agentPoolCleanup);
}
