import { isTyped, TypedError, type EventResponse, type SecurityEvent } from '@interlock/api';
import type { Client } from '@interlock/kube';
import {
  absentError,
  absentText,
  type AbsentTarget,
  type ChangePlan,
  type Subject,
} from '@interlock/responding';
import { readSubject } from './live-object.js';

/** How long the GitOps controller may take to remove an object from the cluster after its removal from the repository. */
const pruneMs = 5 * 60_000;

interface TargetFacts {
  client: Client;
  response: EventResponse;
  event: SecurityEvent | undefined;
  /** Returns whether a response has proposed to remove a target. */
  wasRemoved(target: AbsentTarget, digest: string): boolean;
  signal: AbortSignal;
}

/**
 * Checks that each target of a deletion that is missing in the repository existed before, and no longer exists in the
 * cluster: otherwise the operation names the wrong place, and would succeed without an effect.
 *
 * @throws TypedError `Invalid` with reason `FileNotFound` or `DocumentNotFound`; `Transient` with reason `SubjectRemains`
 *   when the subject still exists in the cluster.
 */
export async function requireTargets(facts: TargetFacts, { absent, digest }: ChangePlan): Promise<void> {
  for (const target of absent) {
    if (!facts.wasRemoved(target, digest)) throw absentError(target);
    const subject = subjectOf(facts, target);
    if (subject === undefined || !(await isLive(facts, subject))) continue;
    const { kind = '', name = '' } = subject;
    throw new TypedError(
      'Transient',
      `${absentText(target)}, but ${kind} ${name} is still in the cluster; remove it there, or correct path and select`,
      { reason: 'SubjectRemains', retryAfterMs: pruneMs },
    );
  }
}

/** Returns the subject, when the target is its document. */
function subjectOf({ event, response }: TargetFacts, { select }: AbsentTarget): Subject | undefined {
  const subject = event?.spec.subject ?? response.spec.action.targetRef;
  if (subject?.kind === undefined || subject.name === undefined || subject.name === '') return undefined;
  if (select?.kind !== subject.kind || select.name !== subject.name) return undefined;
  const { kind, name } = subject;
  return {
    apiVersion: subject.apiVersion ?? select.apiVersion,
    kind,
    name,
    namespace: subject.namespace ?? select.namespace,
  };
}

/**
 * Returns whether a subject exists in the cluster. An object of a kind that the responder may not read counts as deleted.
 */
async function isLive({ client, signal }: TargetFacts, subject: Subject): Promise<boolean> {
  try {
    return (await readSubject(client, subject, signal)) !== undefined;
  } catch (error) {
    if (isTyped(error, 'Unauthorized')) return false;
    throw error;
  }
}
