import { objectAt, objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { controllerReference } from '../ownership.js';
import { numberAt } from '../pod-state.js';
import { revisionOf, withRevision, withSizes, type Annotations } from './annotations.js';
import { newCondition, setCondition } from './conditions.js';
import { limitsOf, progressDeadlineOf, type RolloutLimits } from './limits.js';
import { hashLabel, hasTemplateOf, templateHash } from './template.js';

/** A ReplicaSet and its changes in a pass. */
export interface Member {
  readonly object: KubeObject;
  readonly isCreated: boolean;
  replicas: number;
  annotations: Annotations;
  minReadySeconds: number;
}

/** A Deployment and its ReplicaSets during a decision. */
export interface Draft {
  readonly deployment: KubeObject;
  readonly limits: RolloutLimits;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The ReplicaSet of the current template. */
  newest: Member | undefined;
  /** The others, oldest first. */
  readonly older: readonly Member[];
  conditions: JsonObject[];
  /** Reports about changed sizes. */
  notes: string[];
}

/** Returns a draft in which nothing has changed. */
export function draftOf(deployment: KubeObject, replicaSets: readonly KubeObject[], now: number): Draft {
  const members = replicaSets.map(memberOf).sort(byCreation);
  const newest = members.find(({ object }) => hasTemplateOf(object, deployment));
  return {
    deployment,
    limits: limitsOf(deployment),
    now,
    newest,
    older: members.filter((member) => member !== newest),
    conditions: objectsAt(deployment, 'status', 'conditions'),
    notes: [],
  };
}

function memberOf(object: KubeObject): Member {
  return {
    object,
    isCreated: false,
    replicas: numberAt(object, ['spec', 'replicas'], 1),
    annotations: object.metadata.annotations ?? {},
    minReadySeconds: numberAt(object, ['spec', 'minReadySeconds']),
  };
}

/** Orders members by their age, oldest first; of the same age by name. */
export function byCreation({ object: a }: Member, { object: b }: Member): number {
  const [first = '', second = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return first.localeCompare(second) || a.metadata.name.localeCompare(b.metadata.name);
}

/** Returns all ReplicaSets, the one of the current template last. */
export function membersOf({ older, newest }: Draft): Member[] {
  return newest === undefined ? [...older] : [...older, newest];
}

/** Returns the sum of the sizes of ReplicaSets. */
export function totalOf(members: readonly Member[]): number {
  return members.reduce((sum, { replicas }) => sum + replicas, 0);
}

/** Returns the sum of a count in the status of ReplicaSets. */
export function statusSum(members: readonly Member[], count: string): number {
  return members.reduce((sum, { object }) => sum + numberAt(object, ['status', count]), 0);
}

/** Sets the size of a ReplicaSet. Returns whether it changed. */
export function resize(draft: Draft, member: Member, replicas: number): boolean {
  const from = member.replicas;
  if (from === replicas) return false;
  member.replicas = replicas;
  member.annotations = withSizes(member.annotations, draft.limits);
  const direction = from < replicas ? 'up' : 'down';
  const { name } = member.object.metadata;
  draft.notes.push(`Scaled ${direction} replica set ${name} from ${String(from)} to ${String(replicas)}`);
  return true;
}

/** Updates the ReplicaSet of the current template from its Deployment, or creates it if requested. */
export function syncNewest(draft: Draft, create: boolean): void {
  const { deployment, older, newest } = draft;
  const revision = Math.max(0, ...older.map(({ annotations }) => revisionOf(annotations))) + 1;
  const hasDeadline = progressDeadlineOf(deployment) !== undefined;
  if (newest !== undefined) {
    newest.annotations = withRevision(newest.annotations, deployment, revision);
    newest.minReadySeconds = numberAt(deployment, ['spec', 'minReadySeconds']);
    if (hasDeadline && !draft.conditions.some(({ type }) => type === 'Progressing')) {
      progress(draft, 'FoundNewReplicaSet', `Found new replica set "${newest.object.metadata.name}"`);
    }
  } else if (create) {
    const created = createdMember(draft, revision);
    draft.newest = created;
    resize(draft, created, newestSize(draft));
    if (hasDeadline) {
      progress(draft, 'NewReplicaSetCreated', `Created new replica set "${created.object.metadata.name}"`);
    }
  }
}

function progress(draft: Draft, reason: string, message: string): void {
  const condition = newCondition('Progressing', 'True', reason, message, draft.now);
  draft.conditions = setCondition(draft.conditions, condition);
}

/** Returns the size that the ReplicaSet of the current template can have now. Source: NewRSNewReplicas. */
export function newestSize(draft: Draft): number {
  const { limits, deployment } = draft;
  const present = draft.newest?.replicas ?? 0;
  if (objectAt(deployment, 'spec', 'strategy')['type'] === 'Recreate') return limits.replicas;
  const free = limits.replicas + limits.maxSurge - totalOf(membersOf(draft));
  return free <= 0 ? present : present + Math.min(free, limits.replicas - present);
}

function createdMember({ deployment, limits }: Draft, revision: number): Member {
  const template = structuredClone(objectAt(deployment, 'spec', 'template'));
  const hash = templateHash(template, numberAt(deployment, ['status', 'collisionCount']));
  const labels = { ...objectAt(template, 'metadata', 'labels'), [hashLabel]: hash };
  const selector = structuredClone(objectAt(deployment, 'spec', 'selector'));
  const minReadySeconds = numberAt(deployment, ['spec', 'minReadySeconds']);
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      labels: labels as Record<string, string>,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      selector: { ...selector, matchLabels: { ...objectAt(selector, 'matchLabels'), [hashLabel]: hash } },
      template: { ...template, metadata: { ...objectAt(template, 'metadata'), labels } },
      ...(minReadySeconds > 0 && { minReadySeconds }),
    },
  };
  const annotations = withSizes(withRevision({}, deployment, revision), limits);
  return { object, isCreated: true, replicas: 0, annotations, minReadySeconds };
}
