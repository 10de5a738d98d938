import type { Core } from './core.js';
import { latestRuns } from './check-runs.js';
import type { PullRequest, Repository } from './model.js';
import { Refusal, type PullRequestReason } from './refusal.js';
import { isFinished, latestStatuses, pipelineState } from './statuses.js';

/** The condition that prevents a merge. */
interface MergeObstacle {
  state: 'blocked' | 'behind';
  reason: Extract<PullRequestReason, { code: 'ChecksRequired' | 'ReviewsRequired' | 'Behind' }>;
}

type Verdict = 'success' | 'expected' | 'pending' | 'failing';

/** The requirements of a branch protection, or of the setting of a GitLab project, for a pull request. */
export class RequiredChecks {
  constructor(readonly core: Core) {}

  /** @throws Refusal `ChecksRequired` with the message of GitHub, `ReviewsRequired` or `Behind`. */
  async require(repository: Repository, pull: PullRequest, baseSha: string): Promise<void> {
    const obstacle = await this.obstacle(repository, pull, baseSha);
    if (obstacle !== undefined) throw new Refusal(obstacle.reason);
  }

  /**
   * Returns the condition that prevents a merge: checks, reviews, or a head without the latest commits of the base.
   * Returns undefined if nothing prevents it.
   */
  async obstacle(
    repository: Repository,
    pull: PullRequest,
    baseSha: string,
  ): Promise<MergeObstacle | undefined> {
    const blocked = (message: string): MergeObstacle => ({
      state: 'blocked',
      reason: { code: 'ChecksRequired', message },
    });
    if (repository.pipelinesMustSucceed === true) {
      const pipeline = pipelineState(latestStatuses(repository, pull.head.sha));
      if (pipeline !== 'success') return blocked(`The pipeline is ${pipeline ?? 'missing'}.`);
    }
    const approvals = missingApprovals(repository, pull);
    if (approvals > 0) return { state: 'blocked', reason: { code: 'ReviewsRequired', count: approvals } };
    const required = repository.protections[pull.base.ref]?.requiredStatusChecks;
    if (required === undefined) return undefined;
    const missing = required.contexts
      .map((context) => ({ context, verdict: verdictOf(repository, pull.head.sha, context) }))
      .filter(({ verdict }) => verdict !== 'success');
    if (missing.length > 0) {
      return blocked(sentence(missing, required.contexts.length));
    }
    if (!required.strict || (await this.core.git(repository).isAncestor(baseSha, pull.head.sha)))
      return undefined;
    return { state: 'behind', reason: { code: 'Behind' } };
  }

  /** Returns whether no status or check run of a commit is pending or failing. */
  allGreen(repository: Repository, sha: string): boolean {
    const contexts = [
      ...latestStatuses(repository, sha).map(({ context }) => context),
      ...latestRuns(repository, sha).map(({ name }) => name),
    ];
    return contexts.every((context) => verdictOf(repository, sha, context) === 'success');
  }
}

/** Returns the number of missing approvals. The last review of each reviewer counts, except for comments. */
function missingApprovals(repository: Repository, { base, reviews = [] }: PullRequest): number {
  const required = repository.protections[base.ref]?.requiredApprovals ?? 0;
  const last = new Map(
    reviews.filter(({ state }) => state !== 'COMMENTED').map(({ authorId, state }) => [authorId, state]),
  );
  return required - [...last.values()].filter((state) => state === 'APPROVED').length;
}

/** Returns the state of a required context. All commit statuses and check runs of that name have to succeed. */
function verdictOf(repository: Repository, sha: string, context: string): Verdict {
  const verdicts: Verdict[] = [];
  for (const status of latestStatuses(repository, sha)) {
    if (status.context !== context) continue;
    verdicts.push(status.state === 'success' ? 'success' : isFinished(status) ? 'failing' : 'pending');
  }
  for (const run of latestRuns(repository, sha)) {
    if (run.name !== context) continue;
    const good = ['success', 'neutral', 'skipped'].includes(run.conclusion ?? '');
    verdicts.push(run.status !== 'completed' ? 'pending' : good ? 'success' : 'failing');
  }
  if (verdicts.length === 0) return 'expected';
  return verdicts.find((verdict) => verdict !== 'success') ?? 'success';
}

function sentence(missing: readonly { context: string; verdict: Verdict }[], total: number): string {
  const [first] = missing;
  if (first !== undefined && missing.length === 1) {
    return `Required status check "${first.context}" is ${first.verdict}.`;
  }
  const count = `${missing.length} of ${total} required status checks`;
  const verdicts = new Set(missing.map(({ verdict }) => verdict));
  const [only] = verdicts;
  if (verdicts.size === 1 && only !== undefined) return `${count} are ${only}.`;
  const parts = [...verdicts].map((verdict) => {
    return `${missing.filter((check) => check.verdict === verdict).length} ${verdict}`;
  });
  return `${count} have not succeeded: ${parts.join(', ')}.`;
}
