import { createHash } from 'node:crypto';
import { isFullSHA, type CommitStatus, type GitRepository } from '@interlock/api';
import type { CommitStatusIds, CommitStatusRequest } from '@interlock/scm';

export type SyncDecision =
  /** What the SCM shows is as wanted. */
  | { type: 'inSync' }
  | { type: 'invalid'; reason: string; message: string }
  | { type: 'waiting'; reason: string; message: string }
  | { type: 'send'; digest: string };

/**
 * A digest of what was last sent lives in the status, so that a restart sends nothing again.
 * @param gitRepository what spec.repoRef names, if it exists
 * @returns whether the commit status has to be sent. Pure.
 */
export function decideSync(
  commitStatus: CommitStatus,
  gitRepository: GitRepository | undefined,
): SyncDecision {
  const { spec, status } = commitStatus;
  if (!isFullSHA(spec.sha)) {
    const message = `spec.sha: "${spec.sha}" is not a full commit SHA; give all 40 or 64 hexadecimal digits in lower case`;
    return { type: 'invalid', reason: 'InvalidSHA', message };
  }
  if (gitRepository === undefined) {
    const message = `spec.repoRef.name: GitRepository ${spec.repoRef.name} does not exist in the namespace; create it`;
    return { type: 'waiting', reason: 'GitRepositoryNotFound', message };
  }
  const digest = digestOf(commitStatus, gitRepository);
  return status?.digest === digest ? { type: 'inSync' } : { type: 'send', digest };
}

/** @returns what the SCM is sent. Ids of another commit are of no use for this one. */
export function requestOf({ spec, status }: CommitStatus, plugin: string): CommitStatusRequest {
  const previous = status?.sha === spec.sha ? idsOf(status.plugin?.[plugin]) : undefined;
  const { sha, name, phase, description, url } = spec;
  return {
    sha,
    name,
    phase,
    ...(description !== undefined && { description }),
    ...(url !== undefined && { url }),
    ...(previous && { previous }),
  };
}

function digestOf({ spec }: CommitStatus, gitRepository: GitRepository): string {
  const { sha, name, phase, description = '', url = '' } = spec;
  const target = canonical(gitRepository.spec);
  const parts = JSON.stringify([target, sha, name, phase, description, url]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 32);
}

/* The API server does not promise the order of fields. */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, child]) => [key, canonical(child)]);
}

function idsOf(kept: unknown): CommitStatusIds | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
