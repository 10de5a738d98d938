import type { WallClock } from '../clock.js';
import { Accounts } from './accounts.js';
import { CheckRuns } from './check-runs.js';
import { Comments } from './comments.js';
import { Contents } from './contents.js';
import { Core } from './core.js';
import { FileCommits } from './file-commits.js';
import { GitData } from './git-data.js';
import { Labels } from './labels.js';
import { MergeQueue } from './merge-queue.js';
import { Merging } from './merging.js';
import type { ForgeState } from './model.js';
import { PullRequests } from './pulls.js';
import { References } from './references.js';
import { Repositories } from './repositories.js';
import { RequiredChecks } from './required-checks.js';
import { Statuses } from './statuses.js';

/** The forge without its protocols. */
export class Domain {
  readonly core: Core;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly pulls: PullRequests;
  readonly references: References;
  readonly requiredChecks: RequiredChecks;
  readonly merging: Merging;
  readonly mergeQueue: MergeQueue;
  readonly statuses: Statuses;
  readonly checkRuns: CheckRuns;
  readonly labels: Labels;
  readonly gitData: GitData;
  readonly contents: Contents;
  readonly fileCommits: FileCommits;
  readonly comments: Comments;

  /** @param directory folder of the bare repositories. @param temporary folder for temporary files. */
  constructor(state: ForgeState, clock: WallClock, directory: string, temporary: string) {
    const core = new Core(state, clock, directory);
    this.core = core;
    this.accounts = new Accounts(core);
    this.repositories = new Repositories(core);
    this.pulls = new PullRequests(core);
    this.references = new References(core, this.pulls);
    this.requiredChecks = new RequiredChecks(core);
    this.merging = new Merging(core, this.pulls, this.requiredChecks);
    this.mergeQueue = new MergeQueue(core, this.merging, this.requiredChecks);
    this.statuses = new Statuses(core);
    this.checkRuns = new CheckRuns(core);
    this.labels = new Labels(core, this.pulls);
    this.gitData = new GitData(core, temporary);
    this.contents = new Contents(core, this.gitData);
    this.fileCommits = new FileCommits(core, this.gitData);
    this.comments = new Comments(core);
  }
}
