import { annotations, type KubeObject } from '@interlock/api';
import { annotationPatch, type AdmissionRequest, type JsonPatchOperation } from '@interlock/service';
import type { Problem } from '@interlock/gating';

/** What `status.actor` takes. */
const maxActor = 256;
/** What the clocks of two replicas may differ, and a request may take. */
const toleranceMs = 60_000;

/**
 * @returns the patch that says who made an override and when, whatever the client wrote there: on CREATE the user of the
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
      [annotations.actor]: user.username.slice(0, maxActor),
      [annotations.requestedAt]: new Date(now).toISOString(),
    });
  }
  const before = oldObject?.metadata.annotations ?? {};
  return annotationPatch(object, {
    [annotations.actor]: before[annotations.actor],
    [annotations.requestedAt]: before[annotations.requestedAt],
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
): Problem[] {
  if (object === undefined) return [];
  const message = 'only the gate-controller writes it, when the override is made; leave it out';
  const [actor, requestedAt] = stampsOf(object);
  const problem = (key: string, value = ''): Problem => ({
    object: `${object.kind}/${object.metadata.name}`,
    field: `metadata.annotations[${key}]`,
    value,
    message,
  });
  const problems: Problem[] = [];
  const [oldActor, oldRequestedAt] = oldObject === undefined ? [] : stampsOf(oldObject);
  const isNew = oldObject === undefined;
  if (actor !== (isNew ? user.username.slice(0, maxActor) : oldActor)) {
    problems.push(problem(annotations.actor, actor));
  }
  const isRight = isNew
    ? Math.abs(Date.parse(requestedAt ?? '') - now) <= toleranceMs
    : requestedAt === oldRequestedAt;
  if (!isRight) problems.push(problem(annotations.requestedAt, requestedAt));
  return problems;
}

function stampsOf({ metadata }: KubeObject): [string | undefined, string | undefined] {
  return [metadata.annotations?.[annotations.actor], metadata.annotations?.[annotations.requestedAt]];
}
