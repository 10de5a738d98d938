import type { Core } from './core.js';
import type { Account, App, CheckRun, CheckRunStatus, CheckSuite, Conclusion, Repository } from './model.js';
import { Refusal, found } from './refusal.js';

export interface CheckRunChange {
  name?: string | undefined;
  status?: CheckRunStatus | undefined;
  conclusion?: Conclusion | undefined;
  startedAt?: string | undefined;
  completedAt?: string | undefined;
  detailsUrl?: string | undefined;
  externalId?: string | undefined;
  output?: Partial<CheckRun['output']> | undefined;
}

/** Check runs of Apps, and the suites that contain the check runs of one App for one commit. */
export class CheckRuns {
  constructor(readonly core: Core) {}

  /** @throws Refusal `NotFound`. */
  get(repository: Repository, id: number): CheckRun {
    return found(repository.checkRuns.find((run) => run.id === id));
  }

  /** @throws Refusal `CommitMissing`. */
  async create(
    repository: Repository,
    { sender, app, sha, name }: { sender: Account; app: App; sha: string; name: string },
    content: CheckRunChange,
  ): Promise<CheckRun> {
    if ((await this.core.git(repository).resolve(sha)) !== sha) {
      throw new Refusal({ code: 'CommitMissing', sha });
    }
    const run: CheckRun = {
      id: this.core.nextId(),
      suiteId: this.#suite(repository, app, sha).id,
      appId: app.id,
      sha,
      name,
      status: 'queued',
      conclusion: null,
      startedAt: this.core.now(),
      completedAt: null,
      detailsUrl: null,
      externalId: '',
      output: { title: null, summary: null, text: null },
    };
    repository.checkRuns.push(run);
    this.#change(run, content);
    this.#announce(repository, sender, 'created', run);
    if (run.status === 'completed') this.#announce(repository, sender, 'completed', run);
    return run;
  }

  /** Changes a check run. A completed run keeps its status and conclusion; requests to change them are ignored. */
  update(repository: Repository, sender: Account, run: CheckRun, change: CheckRunChange): void {
    const final = run.status === 'completed';
    const { status: _status, conclusion: _conclusion, completedAt: _at, ...rest } = change;
    this.#change(run, final ? rest : change);
    if (!final && run.status === 'completed') this.#announce(repository, sender, 'completed', run);
  }

  #change(run: CheckRun, change: CheckRunChange): void {
    run.name = change.name ?? run.name;
    run.startedAt = change.startedAt ?? run.startedAt;
    run.detailsUrl = change.detailsUrl ?? run.detailsUrl;
    run.externalId = change.externalId ?? run.externalId;
    run.output = { ...run.output, ...change.output };
    run.status = change.conclusion === undefined ? (change.status ?? run.status) : 'completed';
    if (change.conclusion !== undefined) {
      run.conclusion = change.conclusion;
      run.completedAt = change.completedAt ?? this.core.now();
    }
  }

  #suite(repository: Repository, app: App, sha: string): CheckSuite {
    const known = repository.checkSuites.find((suite) => suite.appId === app.id && suite.sha === sha);
    if (known !== undefined) return known;
    const at = this.core.now();
    const suite = { id: this.core.nextId(), appId: app.id, sha, createdAt: at, updatedAt: at };
    repository.checkSuites.push(suite);
    return suite;
  }

  #announce(repository: Repository, sender: Account, action: 'created' | 'completed', run: CheckRun): void {
    this.core.publish({ type: 'checkRun', repository, sender, action, run });
  }
}

/** Returns the newest run of each App and name for a commit, oldest first. */
export function latestRuns(repository: Repository, sha: string): CheckRun[] {
  const latest = new Map<string, CheckRun>();
  for (const run of repository.checkRuns) if (run.sha === sha) latest.set(`${run.appId} ${run.name}`, run);
  return [...latest.values()].sort((a, b) => a.id - b.id);
}
