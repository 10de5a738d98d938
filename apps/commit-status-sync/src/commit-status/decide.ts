import { isFullSHA, type AnyScmProvider, type CommitStatus, type GitRepository } from '@interlock/api';
import { canonicalDigest, Problem } from '@interlock/base';
import { getCondition } from '@interlock/kube';
import type { CommitStatusIds, CommitStatusRequest } from '@interlock/scm';
import { combine, type Shown } from './combine.js';
import type { ObservedCommitStatus } from './observe.js';

export type SyncDecision =
  /** The SCM shows the current status. */
  | { type: 'inSync' }
  | { type: 'blocked'; problem: Problem }
  /** The SCM shows the status, which a CommitStatus of the same name on the same commit, or this one, has sent. */
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
    /* What was sent is still shown. If the GitRepository returns, it usually is the same. */
    if (status?.digest !== undefined && isCurrent(commitStatus)) return { type: 'inSync' };
    const message = `spec.repoRef.name: GitRepository ${spec.repoRef.name} does not exist in the namespace; create it`;
    return blocked(new Problem('GitRepositoryNotFound', message));
  }
  const [first = commitStatus, ...others] = sharing;
  const shown = combine([first, ...others]);
  const content = contentDigest(spec, shown, gitRepository, others.length === 0 ? [] : [first, ...others]);
  const account = accountDigest(provider);
  const digest = `${content}.${account}`;
  const [sentContent, sentAccount] = status?.digest?.split('.') ?? [];
  if (sentContent === content && isCurrent(commitStatus)) {
    /* Without a provider, nothing can be sent. If it returns, it usually is the same. */
    if (sentAccount === account || provider === undefined) return { type: 'inSync' };
    /* An earlier release did not record the account. If each status were sent again, an upgrade would use up the rate limit. */
    if (sentAccount === undefined) return { type: 'shown', digest, shown, by: commitStatus };
  }
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
 * Returns the digest of a status and of the repository that it is sent to.
 *
 * @param combined the CommitStatuses that are shown as one, if there are several. {@link isCurrent} does not apply to the others,
 *   so the digest includes the generations of those that have changed
 */
function contentDigest(
  { sha, name }: CommitStatus['spec'],
  { phase, description = '', url = '' }: Shown,
  gitRepository: GitRepository,
  combined: readonly CommitStatus[],
): string {
  /* One that never changed cannot have shown anything else, so each of many that are created does not change the digest. */
  const changed = combined.filter(({ metadata: { generation = 1 } }) => generation > 1);
  const versions = changed.map(({ metadata: { uid, generation } }) => [uid, generation]);
  return digestOf([gitRepository.spec, sha, name, phase, description, url, ...versions]);
}

/** Returns the digest of the server and the account of a provider. A change of its credential or its users does not change it. */
function accountDigest(provider: AnyScmProvider | undefined): string {
  const excluded = ['secretRef', 'allowedNamespaces'];
  const fields = Object.entries(provider?.spec ?? {}).filter(([field]) => !excluded.includes(field));
  return digestOf(Object.fromEntries(fields));
}

function digestOf(parts: unknown): string {
  return canonicalDigest(parts).slice(0, 32);
}

function idsOf(kept: unknown): CommitStatusIds | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  return Object.fromEntries(
    Object.entries(kept).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
