import { isTyped, keyString, type PullRequest } from '@interlock/api';
import { isProblem, type KeyedLock } from '@interlock/base';
import { formatTrailers } from '@interlock/git';
import type { ActContext, ConditionReason } from '@interlock/kube';
import { ensureClosed, ensureMerged, ensurePullRequest, type ScmRepository } from '@interlock/scm';
import type { PromoterContext } from '../context.js';
import type { PullRequestAction } from './action.js';
import { confirmMerge } from './confirm.js';
import type { PullRequestDecision } from './decide.js';
import { MergeRefused } from './merge-refused.js';
import type { KnownRepository, ReachablePullRequest } from './observed.js';
import type { Outcome } from './status.js';

interface ActParts extends Pick<PromoterContext, 'manager' | 'registry' | 'repositories'> {
  /** Serializes the merges into a branch. */
  turns: KeyedLock;
}

type Merge = Extract<PullRequestAction, { type: 'merge' }>;

/** The inputs of an action. */
interface ScmCall {
  scm: ScmRepository;
  pullRequest: PullRequest;
  signal: AbortSignal;
}

/**
 * Carries out a decision at the SCM; every decision can be repeated after a crash. Returns what to write into the status.
 *
 * @throws TypedError of the SCM, {@link MergeRefused} for a merge that the SCM refuses.
 */
export async function actOnPullRequest(
  parts: ActParts,
  decision: PullRequestDecision,
  { pullRequest, repository, scm }: ReachablePullRequest,
  context: ActContext<PullRequest>,
): Promise<Outcome> {
  if (scm === undefined || isProblem(repository)) return {};
  const { signal } = context;
  const call = { scm, pullRequest, signal };
  const info = typeof repository.view === 'string' ? undefined : repository.view;
  switch (decision.type) {
    case 'ensure':
      return ensure(call, decision.known);
    case 'close':
      return { info: await ensureClosed(scm, decision.id, { signal }), withdrawn: true };
    case 'withdraw':
      return withdraw(call);
    case 'merge': {
      /* A merge is decided by the content of the branch, so no other merge may come between the decision and the merge. */
      const branch = `${keyString(repository.key)}:${pullRequest.spec.targetBranch}`;
      return parts.turns.run(branch, () => mergeConfirmed(parts, call, repository, decision, context));
    }
    case 'dequeue':
      await scm.leaveMergeQueue?.(decision.id, { signal });
      return { info };
    default:
      return { info };
  }
}

async function mergeConfirmed(
  { manager, registry, repositories }: ActParts,
  call: ScmCall,
  { key, url }: KnownRepository,
  { id, sha }: Merge,
  { signal }: ActContext<PullRequest>,
): Promise<Outcome> {
  const view = await repositories.refresh(key, signal);
  const named = view.scm.webUrl();
  if (named !== url)
    return notMerged({ reason: 'RepositoryChanged', message: `the GitRepository now refers to ${named}` });
  const reads = { client: manager.client, registry };
  /* The time has gone on since the decision, and a success may have ended. */
  const problem = await confirmMerge(reads, view, call.pullRequest, sha, manager.clock.now());
  return problem === undefined ? merge(call, id, sha) : notMerged(problem);
}

function notMerged({ reason, message }: ConditionReason): Outcome {
  return { problem: { reason, message: `not merged: ${message}` } };
}

async function ensure(
  { scm, signal, pullRequest: { spec, status } }: ScmCall,
  known: number | undefined,
): Promise<Outcome> {
  const { title, description: body = '', sourceBranch: head, targetBranch: base, labels: add = [] } = spec;
  /* Labels that users have put on it stay. */
  const remove = (status?.labels ?? []).filter((label) => !add.includes(label));
  const { pullRequest: info, deferred } = await ensurePullRequest(
    scm,
    { head, base, title, body, labels: { add, remove }, known },
    { signal },
  );
  if (info.state !== 'open') return { info };
  if (deferred === undefined) return { info, sent: true };
  const { reason, message } = deferred;
  return { info, deferred: true, problem: { reason, message } };
}

async function withdraw({ scm, signal, pullRequest: { spec } }: ScmCall): Promise<Outcome> {
  const { sourceBranch: head, targetBranch: base } = spec;
  const [found] = await scm.findPullRequests({ head, base, state: 'open' }, { signal });
  return found === undefined ? {} : { info: await ensureClosed(scm, found.id, { signal }), withdrawn: true };
}

async function merge({ scm, signal, pullRequest }: ScmCall, id: number, sha: string): Promise<Outcome> {
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

/* The message of the proposed commit ends with trailers; these are added to them. */
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
