import { isTyped, TypedError, type PullRequest } from '@interlock/api';
import { formatTrailers } from '@interlock/git';
import { ensureClosed, ensureMerged, ensurePullRequest, type ScmRepository } from '@interlock/scm';
import type { PullRequestAction, ScmView } from './decide.js';
import { isOurs, type Origin } from './origin.js';
import type { Outcome } from './status.js';

/** What an action works with. */
export interface Call {
  scm: ScmRepository;
  pullRequest: PullRequest;
  signal: AbortSignal;
}

/**
 * Returns the pull request at the SCM.
 *
 * @param origin of the number, as the status records it
 * @throws TypedError of the SCM.
 */
export async function readPullRequest(
  { scm, signal, pullRequest }: Call,
  id: number,
  origin: Origin,
): Promise<ScmView> {
  try {
    const info = await scm.getPullRequest(id, { signal });
    return isOurs(pullRequest, info, scm.webUrl()) ? info : 'foreign';
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
    return origin === 'same' ? 'absent' : 'foreign';
  }
}

/**
 * Carries out an action at the SCM; each can be repeated after a crash.
 * @returns what to write into the status.
 * @throws TypedError of the SCM, {@link MergeRefused} for a merge that the SCM does not make.
 */
export async function act(call: Call, action: PullRequestAction, view: ScmView): Promise<Outcome> {
  const info = typeof view === 'string' ? {} : { info: view };
  switch (action.type) {
    case 'none':
    case 'forget':
    case 'release':
      return info;
    case 'ensure':
      return ensure(call);
    case 'close':
      return { info: await ensureClosed(call.scm, action.id, { signal: call.signal }), withdrawn: true };
    case 'withdraw':
      return withdraw(call);
    case 'merge':
      return merge(call, action.id, action.sha);
    case 'dequeue':
      await call.scm.leaveMergeQueue?.(action.id, { signal: call.signal });
      return info;
  }
}

async function ensure({ scm, signal, pullRequest: { spec, status } }: Call): Promise<Outcome> {
  const { title, description: body = '', sourceBranch: head, targetBranch: base, labels: add = [] } = spec;
  /* Labels that users have put on it stay. */
  const remove = (status?.labels ?? []).filter((label) => !add.includes(label));
  const { pullRequest: info, deferred } = await ensurePullRequest(
    scm,
    { head, base, title, body, labels: { add, remove } },
    { signal },
  );
  if (deferred === undefined) return { info, sent: true };
  const { reason, message } = deferred;
  return { info, deferred: true, problem: { reason, message } };
}

async function withdraw({ scm, signal, pullRequest: { spec } }: Call): Promise<Outcome> {
  const { sourceBranch: head, targetBranch: base } = spec;
  const [found] = await scm.findPullRequests({ head, base, state: 'open' }, { signal });
  return found === undefined ? {} : { info: await ensureClosed(scm, found.id, { signal }), withdrawn: true };
}

async function merge({ scm, signal, pullRequest }: Call, id: number, sha: string): Promise<Outcome> {
  const { spec, status } = pullRequest;
  const queued = status?.merge?.state === 'Queued' && status.merge.sha === sha;
  const [commitTitle = spec.title, ...body] = (spec.merge?.message ?? spec.title).split('\n');
  const commitMessage = addTrailers(body.join('\n').trim(), pullRequest, id);
  const method = spec.merge?.method ?? 'merge';
  try {
    const request = { base: spec.targetBranch, headSha: sha, method, commitTitle, commitMessage, queued };
    const { queued: place } = await ensureMerged(scm, id, request, { signal });
    if (place !== undefined) {
      const answer = { sha, state: 'Queued', reason: 'InMergeQueue', message: place } as const;
      return { info: await scm.getPullRequest(id, { signal }), merge: answer };
    }
  } catch (error) {
    if (!isTyped(error, 'Conflict', 'Permanent', 'Invalid')) throw error;
    throw new MergeRefused(sha, error);
  }
  return { info: await scm.getPullRequest(id, { signal }) };
}

/* The message that the proposed commit gave ends in trailers; these join them. */
function addTrailers(message: string, { spec, status }: PullRequest, id: number): string {
  const trailers = formatTrailers({
    'Pull-request-id': String(id),
    'Pull-request-source-branch': spec.sourceBranch,
    'Pull-request-target-branch': spec.targetBranch,
    'Pull-request-creation-time': status?.createdAt ?? '',
    'Pull-request-url': status?.url ?? '',
  });
  return `${message}\n${trailers}\n`;
}

/** The SCM does not merge. Keeps the type and the reason of its answer. */
export class MergeRefused extends TypedError {
  constructor(
    readonly sha: string,
    cause: TypedError,
  ) {
    super(cause.type, cause.message, { reason: cause.reason, cause });
  }
}
