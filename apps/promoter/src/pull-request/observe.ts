import { isTyped, keyOf, objectKey, type ObjectKey, type PullRequest } from '@interlock/api';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import { ApiError, Later, type Observation, type ObserveContext } from '@interlock/kube';
import type { ScmRepository } from '@interlock/scm';
import { inNamespaceOf, type Caches } from '../caches.js';
import { originOf } from '../promotion/provenance.js';
import { originIfKnown } from '../promotion/rejection.js';
import { isStatusCurrent, type RepositoryView } from '../repository/repositories.js';
import type { PromoterContext } from '../context.js';
import type { KnownRepository, ReachablePullRequest, ScmView } from './observed.js';
import { isOurs, type RepositoryMatch } from './repository-match.js';
import { requiredRead } from './read.js';
import { comparedCommits, type ClosedCommits } from './rejected.js';
import type { RequestedReads } from './requested-reads.js';
import { isLeftOver } from './state.js';

interface ObserveParts extends Pick<PromoterContext, 'caches' | 'repositories'> {
  requests: RequestedReads;
}

/** Reads what a decision about a PullRequest depends on; from the SCM, only what is required. */
export async function observePullRequest(
  { caches, repositories, requests }: ObserveParts,
  pullRequest: PullRequest,
  { now, signal }: Pick<ObserveContext, 'now' | 'signal'>,
): Promise<Observation<ReachablePullRequest>> {
  const known = { pullRequest, asked: requests.isDue(pullRequest) };
  const key = repositoryOf(caches, pullRequest);
  if (isProblem(key)) return { ...known, repository: key };
  const view = repositories.view(key);
  if (isProblem(view)) {
    /* A process that has just started does not repeat what it does not know. */
    return isStatusCurrent(pullRequest, view) && !isLeftOver(pullRequest)
      ? new Later()
      : { ...known, repository: view };
  }
  const { scm, plugin } = view;
  const source = { plugin, url: scm.webUrl() };
  try {
    const required = requiredRead(pullRequest, source, known.asked, now);
    const seen =
      typeof required === 'string' ? required : await readPullRequest(scm, pullRequest, required, signal);
    const isSameProposal = await compare(caches, view, pullRequest, seen);
    const repository: KnownRepository = { ...source, key, view: seen, isSameProposal };
    return { ...known, repository, scm };
  } catch (error) {
    /* A refusal of the cluster does not concern the pull request. */
    if (!isTyped(error) || error instanceof ApiError) throw error;
    return new Problem(error.reason, error.message, { cause: error });
  }
}

/** Returns the repository that the pull request names, or the only one of its namespace. */
export function repositoryOf(
  { gitRepositories }: Pick<Caches, 'gitRepositories'>,
  { spec, metadata }: PullRequest,
): OrProblem<ObjectKey> {
  const { repoRef } = spec;
  if (repoRef !== undefined) return objectKey(metadata.namespace, repoRef.name);
  const all = inNamespaceOf(gitRepositories, metadata);
  const [only] = all;
  if (only !== undefined && all.length === 1) return keyOf(only);
  const message = `spec.repoRef.name: the namespace has ${all.length} GitRepositories; name one`;
  return new Problem('RepositoryNotNamed', message, { transient: false });
}

async function readPullRequest(
  scm: ScmRepository,
  pullRequest: PullRequest,
  { id, match }: { id: number; match: RepositoryMatch },
  signal: AbortSignal,
): Promise<ScmView> {
  try {
    const info = await scm.getPullRequest(id, { signal });
    return isOurs(pullRequest, info, scm.webUrl()) ? info : 'foreign';
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
    return match === 'same' ? 'absent' : 'foreign';
  }
}

async function compare(
  { proposedCommits }: Pick<Caches, 'proposedCommits'>,
  { mirror }: RepositoryView,
  pullRequest: PullRequest,
  seen: ScmView,
): Promise<boolean> {
  const commits: ClosedCommits | undefined = comparedCommits(pullRequest, seen);
  if (commits === undefined) return false;
  const folder = mirror.at(proposedCommits.get(keyOf(pullRequest))?.spec.activePath);
  return (await originIfKnown(folder, commits.closed)) === (await originOf(folder, commits.proposed));
}
