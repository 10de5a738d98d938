import { conditions, RunnerGroup, runnerFinalizers, type ActionsGateway } from '@interlock/api';
import { isProblem, type Problem } from '@interlock/base';
import { Deployment, getCondition, NetworkPolicy } from '@interlock/kube';
import { names } from '../render/names.js';
import type { Rendered } from '../render/objects.js';
import { render } from '../render/render.js';
import type { ObservedGateway, OwnedObject } from './observed.js';

/**
 * What becomes of a tenant.
 *
 * - `refuse`: nothing is applied or removed until somebody changes the gateway or its namespace.
 * - `provision`: objects are applied in this order, then others are removed.
 * - `drain`: the gateway goes away; its RunnerGroups are deleted and have time to remove their runners at GitHub. Those that are
 *   given up, because no controller removes their runners, are first named in the status (`givenUp`), and then let go (`abandoned`).
 * - `dismantle`: the other objects are deleted.
 * - `release`: nothing is left.
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

/** Label of the namespaces that the platform team has given to tenants. */
export const tenantLabel = { key: 'actions-gateway.github.com/tenant', value: 'true' } as const;

/** The controller gives up a runner that GitHub does not let go after 25 minutes; a while later nobody is waited for. */
const drainMs = 30 * 60_000;
/** So long the controller of a tenant that goes away may be without a ready pod. */
const controllerGraceMs = 2 * 60_000;

/** Decides what is applied for a gateway, and what is removed. Pure. */
export function decideGateway(observed: ObservedGateway, now: number): GatewayDecision {
  const { gateway, isTenant, problems } = observed;
  const { deletionTimestamp, namespace = '' } = gateway.metadata;
  if (deletionTimestamp !== undefined) return decideTeardown(observed, Date.parse(deletionTimestamp), now);
  if (!isTenant) {
    const { key, value } = tenantLabel;
    const message = `namespace ${namespace} is not one of a tenant: ask the platform team to label it ${key}=${value}`;
    return { type: 'refuse', reason: 'NamespaceNotAllowed', message };
  }
  if (problems.length > 0) {
    const message = problems.map((problem) => `${problem.field}: ${problem.message}`).join('; ');
    return { type: 'refuse', reason: 'InvalidSpec', message };
  }
  const objects = render(gateway, observed.context).filter((object) => isDue(object, observed));
  const wanted = new Set(
    render(gateway, observed.context).map(({ kind, configuration }) =>
      idOf(kind, configuration.metadata.name),
    ),
  );
  const prune = observed.owned.filter(
    ({ kind, name, isBeingDeleted }) => !isBeingDeleted && !wanted.has(idOf(kind, name)),
  );
  return { type: 'provision', objects, prune };
}

/**
 * A controller that works is not replaced by one that has no credential or no certificate authorities, nor egress rules by some without the networks of GitHub,
 * which a GMC that has just started does not know.
 */
function isDue({ kind, configuration }: Rendered, observed: ObservedGateway): boolean {
  const { credential, caBundle, controller, githubRanges } = observed;
  const { name } = configuration.metadata;
  if (kind.kind === Deployment.kind && name === names.controller)
    return controller === undefined || !(isProblem(credential) || isProblem(caBundle));
  return (
    githubRanges !== undefined ||
    kind.kind !== NetworkPolicy.kind ||
    name !== names.proxy ||
    !hasEgressRules(observed)
  );
}

/** Whether there is a NetworkPolicy of the egress proxy, which keeps the networks of GitHub while they are not known here. */
export function hasEgressRules({ gateway, owned }: ObservedGateway): boolean {
  const isManaged = gateway.spec.proxy.managedNetworkPolicy;
  return (
    isManaged && owned.some(({ kind, name }) => kind.kind === NetworkPolicy.kind && name === names.proxy)
  );
}

function idOf(kind: { kind: string }, name: string): string {
  return `${kind.kind}/${name}`;
}

function decideTeardown(observed: ObservedGateway, deletedAt: number, now: number): GatewayDecision {
  const { gateway, owned, controller } = observed;
  const isGroup = ({ kind }: OwnedObject) => kind.kind === RunnerGroup.kind;
  const groups = observed.groups.filter(hasRunners);
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
  const remove = owned.filter((object) => !isGroup(object) && !object.isBeingDeleted);
  return remove.length > 0 ? { type: 'dismantle', remove } : { type: 'release' };
}

/** Reason of the condition Ready of a gateway whose runners could not all be removed at GitHub. */
export const teardownIncomplete = 'TeardownIncomplete';

/** Whether the status of a gateway names the RunnerGroups that are given up: a process that starts now would not know them. */
export function isReported({ status }: ActionsGateway): boolean {
  return getCondition(status?.conditions, conditions.ready)?.reason === teardownIncomplete;
}

/** Whether a RunnerGroup is there because of its runners. One that somebody else holds by a finalizer is not waited for. */
function hasRunners({ metadata: { deletionTimestamp, finalizers = [] } }: RunnerGroup): boolean {
  return deletionTimestamp === undefined || finalizers.includes(runnerFinalizers.agentPoolCleanup);
}

/** Returns the sentence of a problem with a credential; undefined when there is none. */
export function credentialProblem({ credential }: ObservedGateway): Problem | undefined {
  return isProblem(credential) ? credential : undefined;
}
