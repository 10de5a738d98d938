import { finalizers, keyOf, PullRequest, type ObjectKey } from '@interlock/api';
import { isProblem, KeyedLock } from '@interlock/base';
import { generationChanged, or, type ControllerHandle } from '@interlock/kube';
import type { PromoterContext } from '../context.js';
import { actOnPullRequest } from './act.js';
import { concludePullRequest } from './conclude.js';
import { consequencesOf } from './consequences.js';
import { decidePullRequest, type PullRequestDecision } from './decide.js';
import { needsFinalizer } from './finalizer.js';
import { observePullRequest, repositoryOf } from './observe.js';
import type { ReachablePullRequest } from './observed.js';
import { readRequested, RequestedReads } from './requested-reads.js';
import type { Outcome } from './status.js';

/**
 * Adds the reconciler of PullRequests, the only caller of the SCM's pull request API.
 *
 * @param refresh of the repositories that merges changed
 */
export function addPullRequestReconciler(
  promoter: PromoterContext,
  refresh: ControllerHandle,
): ControllerHandle {
  const { manager, caches, repositories } = promoter;
  const requests = new RequestedReads();
  const observing = { caches, repositories, requests };
  const acting = { ...promoter, turns: new KeyedLock() };
  const hostOf = (key: ObjectKey): string | undefined => {
    const pullRequest = caches.pullRequests.get(key);
    const repository = pullRequest && repositoryOf(caches, pullRequest);
    return repository === undefined || isProblem(repository) ? undefined : repositories.hostOf(repository);
  };
  return manager.addReconciler<PullRequest, ReachablePullRequest, PullRequestDecision, Outcome>({
    name: 'pull-request',
    for: { kind: PullRequest, predicate: or(generationChanged, readRequested) },
    external: { hostOf },
    finalizer: { name: finalizers.pullRequest, isNeeded: needsFinalizer },
    observe: (pullRequest, context) => observePullRequest(observing, pullRequest, context),
    decide: decidePullRequest,
    act: (decision, observed, context) => actOnPullRequest(acting, decision, observed, context),
    conclude: concludePullRequest,
    concluded({ observed: { pullRequest, repository }, decision, outcome }) {
      const { followsRequest, requestsRead, refreshes } = consequencesOf(decision, outcome);
      if (followsRequest) requests.follow(pullRequest);
      if (requestsRead) requests.request(keyOf(pullRequest));
      if (refreshes && !isProblem(repository)) refresh.enqueue(repository.key);
    },
    forgotten: (key) => requests.forget(key),
  });
}
