import { annotations, type GateOverride, type KubeObject } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { annotationPatch, type AdmissionRequest, type JsonPatchOperation } from '@interlock/service';
import { approversOf, specDigest, type ObjectProblem } from '@interlock/gating';

/** What `status.actor` takes. */
const maxActor = 256;
/** What the clocks of two replicas may differ, and a request may take. */
const toleranceMs = 60_000;

/**
 * Returns the patch that says who made an override and when, whatever the client wrote there: on CREATE the user of the
 * request, later what was there before.
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
  const approvers = oldObject === undefined ? [] : approversOf(oldObject as GateOverride);
  return annotationPatch(object, {
    [annotations.actor]: before[annotations.actor],
    [annotations.requestedAt]: before[annotations.requestedAt],
    [annotations.approvedBy]: isApproved
      ? JSON.stringify([...new Set([...approvers, prefixOf(user.username, maxActor)])])
      : before[annotations.approvedBy],
    [annotations.approve]: undefined,
  });
}

/** Returns the user whom a write adds to those who approved an override; undefined: it adds nobody. */
export function newApprover({
  object,
  oldObject,
}: Pick<AdmissionRequest<GateOverride>, 'object' | 'oldObject'>) {
  if (object === undefined || oldObject === undefined) return undefined;
  const before = approversOf(oldObject);
  return approversOf(object).find((user) => !before.includes(user));
}

/**
 * Returns the patch that records who wrote the spec of a Gate or a GateKeeper, whatever the client wrote there. A write that
 * leaves the spec as it is leaves the stamp as well.
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
 * The stamps are checked again after all mutating webhooks have run: another one may have changed them.
 *
 * @returns what is wrong with them.
 */
export function stampProblems(
  { object, oldObject, user }: Pick<AdmissionRequest, 'object' | 'oldObject' | 'user'>,
  now: number,
): ObjectProblem[] {
  if (object === undefined) return [];
  const message = 'only the gate-controller writes it, when the override is made; leave it out';
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
  const approvers = oldObject === undefined ? [] : approversOf(oldObject as GateOverride);
  const added = JSON.stringify([...new Set([...approvers, prefixOf(user.username, maxActor)])]);
  if (approvals !== before && (isNew || approvals !== added))
    problems.push(problem(annotations.approvedBy, approvals));
  return problems;
}

function stampsOf({ metadata }: KubeObject): [string | undefined, string | undefined] {
  return [metadata.annotations?.[annotations.actor], metadata.annotations?.[annotations.requestedAt]];
}
