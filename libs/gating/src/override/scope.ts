import type { GateOverride } from '@interlock/api';
import type { Subject } from '../types.js';

/** Returns whether an override applies to a subject. A scoped override does not apply to the gate as a whole. */
export function appliesTo(override: GateOverride, subject: Subject | undefined): boolean {
  const { targets, revisions } = override.spec;
  if (targets !== undefined && !targets.some((target) => isTarget(target, subject))) return false;
  if (revisions === undefined) return true;
  const revision = subject?.revision;
  return revision !== undefined && revisions.some((one) => revisionMatches(one, revision));
}

function isTarget(target: { kind: string; name: string }, subject: Subject | undefined): boolean {
  return target.kind === subject?.kind && target.name === subject.name;
}

/**
 * Returns whether two revisions identify the same commit or digest.
 *
 * @param approved a full commit SHA or digest, alone or in a Flux revision such as `main@sha1:<commit>`
 * @param revision the revision of the subject, in the same form
 */
export function revisionMatches(approved: string, revision: string): boolean {
  return digestOf(approved).toLowerCase() === digestOf(revision).toLowerCase();
}

/** Returns the digest in `main@sha1:<commit>`, `v1.2@sha256:<digest>`, `sha256:<digest>` and `main/<commit>`. */
function digestOf(revision: string): string {
  return revision.slice(Math.max(revision.lastIndexOf(':'), revision.lastIndexOf('/')) + 1);
}
