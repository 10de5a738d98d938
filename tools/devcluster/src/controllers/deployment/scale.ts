import { numberAt } from '../pod-state.js';
import { desiredReplicas, maxReplicas, withSizes } from './annotations.js';
import { byCreation, membersOf, resize, statusSum, totalOf, type Draft, type Member } from './draft.js';
import { isRolling } from './limits.js';

/** Returns whether the size of the Deployment has changed since it last scaled one of its ReplicaSets. */
export function isScalingEvent(draft: Draft): boolean {
  return membersOf(draft).some(({ replicas, annotations }) => {
    const desired = desiredReplicas(annotations);
    return replicas > 0 && desired !== undefined && desired !== draft.limits.replicas;
  });
}

/**
 * Scales the ReplicaSets of a Deployment without continuing its rollout; during a rollout, each in proportion to its
 * size. Source: Kubernetes pkg/controller/deployment/sync.go, scale.
 */
export function scale(draft: Draft): void {
  const { limits, newest, older } = draft;
  const only = activeOrLatest(draft);
  if (only !== undefined) {
    if (!resize(draft, only, limits.replicas)) only.annotations = withSizes(only.annotations, limits);
  } else if (newest !== undefined && isSaturated(newest, limits.replicas)) {
    for (const member of older) resize(draft, member, 0);
  } else if (isRolling(draft.deployment)) {
    scaleInProportion(draft);
  }
}

/** Returns the only ReplicaSet that has pods, or the newest one if none has pods. */
function activeOrLatest({ newest, older }: Draft): Member | undefined {
  const all = newest === undefined ? older : [newest, ...older];
  const active = all.filter(({ replicas }) => replicas > 0);
  if (active.length === 0) return newest ?? older.at(-1);
  return active.length === 1 ? active[0] : undefined;
}

function isSaturated({ annotations, replicas, object }: Member, size: number): boolean {
  const available = numberAt(object, ['status', 'availableReplicas']);
  return desiredReplicas(annotations) === size && replicas === size && available === size;
}

function scaleInProportion(draft: Draft): void {
  const { limits } = draft;
  const members = membersOf(draft).filter(({ replicas }) => replicas > 0);
  const allowed = limits.replicas > 0 ? limits.replicas + limits.maxSurge : 0;
  const toAdd = allowed - totalOf(members);
  members.sort((a, b) => b.replicas - a.replicas || (toAdd > 0 ? byCreation(b, a) : byCreation(a, b)));
  let added = 0;
  const sizes = members.map((member) => {
    const share = shareOf(draft, member, toAdd, added);
    added += share;
    return member.replicas + share;
  });
  for (const [index, member] of members.entries()) {
    const rest = index === 0 ? toAdd - added : 0;
    const size = Math.max(0, (sizes[index] ?? 0) + rest);
    if (!resize(draft, member, size)) member.annotations = withSizes(member.annotations, limits);
  }
}

/** Returns the share of a ReplicaSet in the added (or, below 0, removed) pods. Source: GetReplicaSetProportion. */
function shareOf(draft: Draft, member: Member, toAdd: number, added: number): number {
  if (toAdd === 0 || toAdd === added) return 0;
  const fraction = fractionOf(draft, member);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

function fractionOf(draft: Draft, { replicas, annotations }: Member): number {
  const { limits } = draft;
  if (limits.replicas === 0) return -replicas;
  const before = maxReplicas(annotations) || statusSum(membersOf(draft), 'replicas');
  if (before === 0) return 0;
  return Math.round((replicas * (limits.replicas + limits.maxSurge)) / before) - replicas;
}
