import { createHash } from 'node:crypto';
import { isFullSHA, type AnyScmProvider, type CommitStatus } from '@interlock/api';
import { canonicalJson, Problem } from '@interlock/base';
import { getCondition } from '@interlock/kube';
import type { CommitStatusIds, CommitStatusRequest } from '@interlock/scm';
import { combine, type Shown } from './combine.js';
import type { ObservedCommitStatus } from './observe.js';

export type SyncDecision =
  /** The SCM shows the current status. */
  | { type: 'inSync' }
  | { type: 'blocked'; problem: Problem }
  /** The first of the CommitStatuses that share a name on a commit has sent the status for all of them. */
  | { type: 'shown'; digest: string; shown: Shown; by: CommitStatus }
  | { type: 'send'; digest: string; shown: Shown };

/**
 * Decides whether a commit status has to be sent. A digest of what was last sent is kept in the status, so that a restart
 * does not send it again.
 * @returns whether the commit status has to be sent. Pure.
 */
export function decideSync({
  commitStatus,
  gitRepository,
  provider,
  sharing,
}: ObservedCommitStatus): SyncDecision {
  const { spec, status } = commitStatus;
  if (!isFullSHA(spec.sha)) {
    const message = `spec.sha: "${spec.sha}" is not a full commit SHA; give all 40 or 64 hexadecimal digits in lower case`;
    return blocked(new Problem('InvalidSHA', message, { transient: false }));
  }
  if (gitRepository === undefined) {
    const message = `spec.repoRef.name: GitRepository ${spec.repoRef.name} does not exist in the namespace; create it`;
    return blocked(new Problem('GitRepositoryNotFound', message));
  }
  const [first = commitStatus, ...others] = sharing;
  const shown = combine([first, ...others]);
  const destination = [gitRepository.spec, accountOf(provider)];
  const digest = digestOf(spec, shown, destination, others.length === 0 ? [] : [first, ...others]);
  if (status?.digest === digest && isCurrent(commitStatus)) return { type: 'inSync' };
  if (first.metadata.name === commitStatus.metadata.name) return { type: 'send', digest, shown };
  if (first.status?.digest === digest) return { type: 'shown', digest, shown, by: first };
  const message = `CommitStatus ${first.metadata.name} has the same name and commit, and has not sent the combined status to the SCM yet`;
  return blocked(new Problem('NameShared', message));
}

/**
 * Returns whether the status is the result of the last send. For another generation, or after a problem, something else may have
 * been sent without a record.
 */
function isCurrent({ metadata, status }: CommitStatus): boolean {
  const ready = getCondition(status?.conditions, 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
}

function blocked(problem: Problem): SyncDecision {
  return { type: 'blocked', problem };
}

/** Returns the request to the SCM. Ids of another commit do not apply to this one. */
export function requestOf(
  { spec, status }: CommitStatus,
  { phase, description, url }: Shown,
  plugin: string,
): CommitStatusRequest {
  const previous = status?.sha === spec.sha ? idsOf(status.plugin?.[plugin]) : undefined;
  const { sha, name } = spec;
  return {
    sha,
    name,
    phase,
    description,
    url,
    previous,
  };
}

/**
 * Returns the digest of a status.
 *
 * @param destination where it is sent to: the same status at another place has not been sent there
 * @param combined the CommitStatuses that are shown as one, if there are several. {@link isCurrent} does not apply to the others,
 *   so the digest includes the generations of those that have changed
 */
function digestOf(
  { sha, name }: CommitStatus['spec'],
  { phase, description = '', url = '' }: Shown,
  destination: readonly unknown[],
  combined: readonly CommitStatus[],
): string {
  /* One that never changed cannot have shown anything else, so each of many that are created does not change the digest. */
  const changed = combined.filter(({ metadata: { generation = 1 } }) => generation > 1);
  const versions = changed.map(({ metadata: { uid, generation } }) => [uid, generation]);
  /* The API server does not guarantee the order of fields. */
  const parts = canonicalJson([...destination, sha, name, phase, description, url, ...versions]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 32);
}

/** Returns the server and the account of a provider. They stay the same when its credential or its users change. */
function accountOf(provider: AnyScmProvider | undefined): object {
  const excluded = ['secretRef', 'allowedNamespaces'];
  return Object.fromEntries(
    Object.entries(provider?.spec ?? {}).filter(([field]) => !excluded.includes(field)),
  );
}

function idsOf(kept: unknown): CommitStatusIds | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
