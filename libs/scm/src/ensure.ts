import { TypedError, isTyped } from '@interlock/api';
import type { CallOptions } from './call-options.js';
import { contentLimit } from './governor/governor.js';
import type {
  LabelChange,
  MergeOutcome,
  MergeRequest,
  NewPullRequest,
  PullRequestInfo,
  ScmRepository,
} from './scm.js';

interface DesiredPullRequest extends NewPullRequest {
  labels?: LabelChange | undefined;
  /**
   * The pull request that the caller knows as open. If a user has closed or merged it since then, no other pull request is
   * created.
   */
  known?: number | undefined;
}

interface EnsuredPullRequest {
  pullRequest: PullRequestInfo;
  /** The action that was needed: `unchanged` for an open pull request that already matches. */
  done: 'created' | 'updated' | 'unchanged';
  /** Why the title, the body or the labels were deferred; send them later. */
  deferred?: TypedError;
}

/**
 * Ensures an open pull request from `head` to `base`, with this title, body and labels: adopts the open one (changing it
 * where it differs) or creates it. Never creates a second one, even when other clients do the same at the same moment or
 * when the response to the creation is lost. The caller decides whether a closed one may be followed by another.
 *
 * Text and labels that exceed the content budget of the SCM are `deferred`.
 *
 * @throws TypedError of {@link ScmRepository.createPullRequest}.
 */
export async function ensurePullRequest(
  repository: ScmRepository,
  desired: DesiredPullRequest,
  options: CallOptions = {},
): Promise<EnsuredPullRequest> {
  const urgent: CallOptions = { priority: 'write', ...options };
  const found =
    (await findOpen(repository, desired, urgent)) ?? (await readKnown(repository, desired, urgent));
  if (found !== undefined && found.state !== 'open') return { pullRequest: found, done: 'unchanged' };
  const ensured =
    found === undefined
      ? await createOrAdopt(repository, desired, options)
      : await adopt(repository, found, desired, options);
  const { add = [], remove = [] } = desired.labels ?? {};
  if (add.length + remove.length === 0 || ensured.deferred !== undefined) return ensured;
  const { pullRequest, done } = ensured;
  const relabelled = await unlessDeferred(() =>
    repository.ensureLabels(pullRequest.id, { add, remove }, { priority: 'text', ...options }),
  );
  if (relabelled instanceof TypedError) return { ...ensured, deferred: relabelled };
  if (!relabelled) return ensured;
  const drop = new Set(remove);
  const labels = [...new Set([...pullRequest.labels.filter((name) => !drop.has(name)), ...add])];
  return { pullRequest: { ...pullRequest, labels }, done: done === 'created' ? done : 'updated' };
}

async function createOrAdopt(
  repository: ScmRepository,
  desired: DesiredPullRequest,
  options: CallOptions,
): Promise<EnsuredPullRequest> {
  const urgent: CallOptions = { priority: 'write', ...options };
  try {
    return { pullRequest: await repository.createPullRequest(desired, urgent), done: 'created' };
  } catch (error) {
    const mayExist =
      isTyped(error, 'Transient') || (isTyped(error, 'Conflict') && error.reason === 'AlreadyExists');
    const found = mayExist ? await findOpen(repository, desired, urgent) : undefined;
    if (found === undefined) throw error;
    return adopt(repository, found, desired, options);
  }
}

async function adopt(
  repository: ScmRepository,
  found: PullRequestInfo,
  desired: DesiredPullRequest,
  options: CallOptions,
): Promise<EnsuredPullRequest> {
  const change = {
    ...(found.title === desired.title ? {} : { title: desired.title }),
    ...(sameText(found.body, desired.body) ? {} : { body: desired.body }),
  };
  if (Object.keys(change).length === 0) return { pullRequest: found, done: 'unchanged' };
  const updated = await unlessDeferred(() =>
    repository.updatePullRequest(found.id, change, { priority: 'text', ...options }),
  );
  return updated instanceof TypedError
    ? { pullRequest: found, done: 'unchanged', deferred: updated }
    : { pullRequest: updated, done: 'updated' };
}

/** Returns the error of a text that exceeds the content budget of the SCM: it can wait, unlike the pull request. */
async function unlessDeferred<T>(send: () => Promise<T>): Promise<T | TypedError> {
  try {
    return await send();
  } catch (error) {
    if (isTyped(error, 'RateLimited') && error.reason === contentLimit) return error;
    throw error;
  }
}

async function findOpen(
  repository: ScmRepository,
  { head, base }: DesiredPullRequest,
  options: CallOptions,
): Promise<PullRequestInfo | undefined> {
  const [oldest] = await repository.findPullRequests({ head, base, state: 'open' }, options);
  return oldest;
}

function readKnown(
  repository: ScmRepository,
  { known }: DesiredPullRequest,
  options: CallOptions,
): Promise<PullRequestInfo> | undefined {
  return known === undefined ? undefined : repository.getPullRequest(known, options);
}

/**
 * Returns whether two texts are equal apart from line endings and trailing white space, which SCMs may change:
 * otherwise a changed body would be sent again forever.
 */
function sameText(a: string, b: string): boolean {
  const plain = (text: string): string => text.replace(/\r\n/g, '\n').trimEnd();
  return plain(a) === plain(b);
}

/**
 * Ensures that the pull request is merged into `base` with exactly the commit `headSha` at its head. SCMs pin a merge
 * at most to its head, so the base, the head and the state are compared immediately before it.
 *
 * @returns the commit on the base branch or the merge queue that it waits in, and whether it was merged before this call, by
 *   any user, so that a call whose response was lost has the same result as one that was answered.
 * @throws TypedError of {@link ScmRepository.mergePullRequest}; `Conflict` with reason `HeadMoved` or `Retargeted` also when
 *   it was merged at another commit or into another branch.
 */
export async function ensureMerged(
  repository: ScmRepository,
  id: number,
  merge: MergeRequest,
  options: CallOptions = {},
): Promise<MergeOutcome & { before: boolean }> {
  const read = (): Promise<PullRequestInfo> =>
    repository.getPullRequest(id, { priority: 'critical', ...options });
  const seen = await read();
  const merged = mergeOf(repository, seen, merge);
  if (merged !== undefined) return { mergeSha: merged, before: true };
  requirePinned(repository, seen, merge);
  try {
    return { ...(await repository.mergePullRequest(id, merge, options)), before: false };
  } catch (error) {
    if (!isTyped(error, 'Conflict', 'Transient', 'Permanent')) throw error;
    const mergeSha = mergeOf(repository, await read(), merge);
    if (mergeSha === undefined) throw error;
    return { mergeSha, before: true };
  }
}

/** Returns the commit that the merge made; undefined when there was none. @throws TypedError when it was another merge. */
function mergeOf(repository: ScmRepository, info: PullRequestInfo, merge: MergeRequest): string | undefined {
  if (info.state !== 'merged' || info.mergeSha === undefined) return undefined;
  requireSame(repository, info, merge, 'was merged');
  return info.mergeSha;
}

function requirePinned(repository: ScmRepository, info: PullRequestInfo, merge: MergeRequest): void {
  requireSame(repository, info, merge, 'is');
  if (info.state === 'open') return;
  const message = `pull request ${info.id} of ${repository.fullName} is ${info.state}`;
  throw new TypedError('Conflict', message, { reason: 'NotOpen' });
}

function requireSame(
  { fullName }: ScmRepository,
  { id, base, headSha }: PullRequestInfo,
  merge: MergeRequest,
  what: string,
): void {
  const refuse = (reason: string, why: string): never => {
    throw new TypedError('Conflict', `pull request ${id} of ${fullName} ${what} ${why}`, { reason });
  };
  if (base !== merge.base) refuse('Retargeted', `into ${base}, not into ${merge.base}`);
  if (headSha !== merge.headSha) refuse('HeadMoved', `at ${headSha}, not at ${merge.headSha}`);
}

/** Ensures that the pull request is not open. Returns the pull request: `closed`, or `merged` when it was merged before. */
export async function ensureClosed(
  repository: ScmRepository,
  id: number,
  options: CallOptions = {},
): Promise<PullRequestInfo> {
  const urgent: CallOptions = { priority: 'write', ...options };
  const info = await repository.getPullRequest(id, urgent);
  return info.state === 'open' ? repository.closePullRequest(id, urgent) : info;
}
