import { annotations, type GateOverride, type KubeObject } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import {
  annotationPatch,
  type AdmissionRequest,
  type AdmissionUser,
  type JsonPatchOperation,
} from '@interlock/service';
import { approversOf, specDigest, type ObjectProblem } from '@interlock/gating';

/** The maximum length of `status.actor`. */
const maxActor = 256;
/** Allows for the clock difference between two replicas and for the duration of a request. */
const toleranceMs = 60_000;

/**
 * Returns the patch that records who created an override and when, regardless of the values in the request: on CREATE
 * the user of the request, later the values that were stored before.
 */
export function stampPatch(
  {
    operation,
    object,
    oldObject,
    user,
  }: Pick<AdmissionRequest, 'operation' | 'object' | 'oldObject' | 'user'>,
  now: number,
): JsonPatchOperation[] {
  if (object === undefined) return [];
  if (operation === 'CREATE') {
    return annotationPatch(object, {
      [annotations.actor]: prefixOf(user.username, maxActor),
      [annotations.requestedAt]: new Date(now).toISOString(),
      [annotations.approvedBy]: undefined,
      [annotations.approve]: undefined,
    });
  }
  const before = oldObject?.metadata.annotations ?? {};
  const isApproved = object.metadata.annotations?.[annotations.approve] !== undefined;
  return annotationPatch(object, {
    [annotations.actor]: before[annotations.actor],
    [annotations.requestedAt]: before[annotations.requestedAt],
    [annotations.approvedBy]: isApproved ? approvalsWith(user, oldObject) : before[annotations.approvedBy],
    [annotations.approve]: undefined,
  });
}

/** Returns the user whom a write adds to the approvers of an override; undefined if it adds none. */
export function newApprover({
  object,
  oldObject,
}: Pick<AdmissionRequest<GateOverride>, 'object' | 'oldObject'>) {
  if (object === undefined || oldObject === undefined) return undefined;
  const before = approversOf(oldObject);
  return approversOf(object).find((user) => !before.includes(user));
}

/**
 * Returns the patch that records who wrote the spec of a Gate or a GateKeeper, regardless of the values in the request.
 * A write that does not change the spec keeps the stamp.
 */
export function authorPatch({
  object,
  oldObject,
  user,
}: Pick<
  AdmissionRequest<KubeObject & { spec?: unknown }>,
  'object' | 'oldObject' | 'user'
>): JsonPatchOperation[] {
  if (object === undefined) return [];
  const digest = specDigest(object);
  const before = oldObject?.metadata.annotations ?? {};
  if (oldObject !== undefined && specDigest(oldObject) === digest)
    return annotationPatch(object, {
      [annotations.actor]: before[annotations.actor],
      [annotations.actorOf]: before[annotations.actorOf],
    });
  return annotationPatch(object, {
    [annotations.actor]: prefixOf(user.username, maxActor),
    [annotations.actorOf]: digest,
  });
}

/**
 * Returns the problems of the stamps. They are checked again after all mutating webhooks have run, because another
 * webhook may have changed them.
 */
export function stampProblems(
  { object, oldObject, user }: Pick<AdmissionRequest, 'object' | 'oldObject' | 'user'>,
  now: number,
): ObjectProblem[] {
  if (object === undefined) return [];
  const message = 'only the gate-controller writes this annotation, when the override is created; remove it';
  const [actor, requestedAt] = stampsOf(object);
  const problem = (key: string, value = ''): ObjectProblem => ({
    object: `${object.kind}/${object.metadata.name}`,
    field: `metadata.annotations[${key}]`,
    value,
    message,
  });
  const problems: ObjectProblem[] = [];
  const [oldActor, oldRequestedAt] = oldObject === undefined ? [] : stampsOf(oldObject);
  const isNew = oldObject === undefined;
  if (actor !== (isNew ? prefixOf(user.username, maxActor) : oldActor)) {
    problems.push(problem(annotations.actor, actor));
  }
  const isRight = isNew
    ? Math.abs(Date.parse(requestedAt ?? '') - now) <= toleranceMs
    : requestedAt === oldRequestedAt;
  if (!isRight) problems.push(problem(annotations.requestedAt, requestedAt));
  const approvals = object.metadata.annotations?.[annotations.approvedBy];
  const before = oldObject?.metadata.annotations?.[annotations.approvedBy];
  if (approvals !== before && (isNew || approvals !== approvalsWith(user, oldObject)))
    problems.push(problem(annotations.approvedBy, approvals));
  return problems;
}

/** Returns the annotation that names the approvers of an override, with one more. */
function approvalsWith({ username }: AdmissionUser, override: KubeObject | undefined): string {
  const approvers = override === undefined ? [] : approversOf(override as GateOverride);
  return JSON.stringify([...new Set([...approvers, prefixOf(username, maxActor)])]);
}

function stampsOf({ metadata }: KubeObject): [string | undefined, string | undefined] {
  return [metadata.annotations?.[annotations.actor], metadata.annotations?.[annotations.requestedAt]];
}
