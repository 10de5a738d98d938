import type { Core } from './core.js';
import { latestRuns } from './check-runs.js';
import type { PullRequest, Repository } from './model.js';
import { Refusal } from './refusal.js';
import { isFinished, latestStatuses, pipelineState } from './statuses.js';

type Verdict = 'success' | 'expected' | 'pending' | 'failing';

/** What a branch protection, or the setting of a GitLab project, demands of a pull request. */
export class RequiredChecks {
  constructor(readonly core: Core) {}

  /** @throws Refusal `ChecksRequired` with the sentence that GitHub answers. */
  async require(repository: Repository, pull: PullRequest, baseSha: string): Promise<void> {
    const obstacle = await this.obstacle(repository, pull, baseSha);
    if (obstacle !== undefined) throw new Refusal({ code: 'ChecksRequired', message: obstacle.message });
  }

  /** @returns what stands against a merge: checks, or a head that lacks commits of the base; undefined: nothing. */
  async obstacle(
    repository: Repository,
    pull: PullRequest,
    baseSha: string,
  ): Promise<{ state: 'blocked' | 'behind'; message: string } | undefined> {
    if (repository.pipelinesMustSucceed === true) {
      const pipeline = pipelineState(latestStatuses(repository, pull.head.sha));
      if (pipeline !== 'success')
        return { state: 'blocked', message: `The pipeline is ${pipeline ?? 'missing'}.` };
    }
    const required = repository.protections[pull.base.ref]?.requiredStatusChecks;
    if (required === undefined) return undefined;
    const missing = required.contexts
      .map((context) => ({ context, verdict: verdictOf(repository, pull.head.sha, context) }))
      .filter(({ verdict }) => verdict !== 'success');
    if (missing.length > 0) {
      return { state: 'blocked', message: sentence(missing, required.contexts.length) };
    }
    if (!required.strict || (await this.core.git(repository).isAncestor(baseSha, pull.head.sha)))
      return undefined;
    return { state: 'behind', message: 'The head branch is not up to date with the base branch.' };
  }

  /** @returns whether nothing that was reported about a commit is pending or failing. */
  allGreen(repository: Repository, sha: string): boolean {
    const contexts = [
      ...latestStatuses(repository, sha).map(({ context }) => context),
      ...latestRuns(repository, sha).map(({ name }) => name),
    ];
    return contexts.every((context) => verdictOf(repository, sha, context) === 'success');
  }
}

/** A context is satisfied by a commit status or by a check run of that name; where both exist, by both. */
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
