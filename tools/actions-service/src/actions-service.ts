import type { ServiceUrls } from './domain/context.js';
import type { CredentialKind } from './domain/credentials.js';
import type { Domain } from './domain/domain.js';
import type { Job, JobConclusion, JobRequest, Run } from './domain/model.js';
import type { Verdict } from './domain/tally.js';
import type { ServiceFaults } from './faults/fault-rules.js';
import type { Partition } from './partition.js';
import type { RequestJournal } from './record/request-journal.js';
import type { ServiceEvents } from './record/service-events.js';
import type { Violation } from './record/violations.js';
import { generateAppKey, type AppKeys } from './rest/app-keys.js';

/** The credentials with which a client authenticates as the App. */
export interface AppCredentials {
  id: number;
  clientId: string;
  /** PEM. */
  privateKey: string;
}

/** The current state of a job. */
export interface JobHandle {
  /** REST id of the job, in decimal. */
  id: string;
  /** Id of its run, in decimal. */
  runId: string;
  attempt: number;
  name: string;
  planId: string;
  repository: string;
  status: Job['status'];
  conclusion: JobConclusion | undefined;
  cause: Job['cause'];
  runner: string | undefined;
  /** Ids of the workers that reported that they run the job. */
  workers: string[];
}

/** The current state of a runner. */
interface RunnerHandle {
  id: number;
  name: string;
  scope: string;
  labels: string[];
  session: string | undefined;
  busy: boolean;
}

export interface EnqueueOptions extends JobRequest {
  /** Default: the id of a new run. The id of a run that is not completed adds the job to that run. */
  runId?: bigint | string | undefined;
}

interface ServiceParts {
  domain: Domain;
  app: AppCredentials;
  keys: AppKeys;
  journal: RequestJournal;
  faults: ServiceFaults;
  partition: Partition;
  ca: string | undefined;
  urls: ServiceUrls;
  close: () => Promise<void>;
}

/** A running service, with the operations of tests. */
export class ActionsService {
  readonly app: AppCredentials;
  /** PEM of the authority of its certificate; undefined for http. */
  readonly ca: string | undefined;
  readonly urls: ServiceUrls;
  /** Every request. */
  readonly journal: RequestJournal;
  /** The events of runners, sessions, jobs and runs. */
  readonly events: ServiceEvents;
  readonly faults: ServiceFaults;
  readonly #parts: ServiceParts;
  #closed: Promise<void> | undefined;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.app = parts.app;
    this.ca = parts.ca;
    this.journal = parts.journal;
    this.events = parts.domain.context.events;
    this.faults = parts.faults;
    this.urls = parts.urls;
  }

  /** The protocol violations of clients, which a correct client never commits; tests require that there are none. */
  get violations(): readonly Violation[] {
    return this.#parts.domain.context.violations.list;
  }

  clearViolations(): void {
    this.#parts.domain.context.violations.clear();
  }

  /** Id of the first installation. */
  get installationId(): number {
    const [id] = this.#parts.domain.context.state.installations.keys();
    return id ?? 0;
  }

  /** Adds a private key to the App, and returns it as PEM. */
  async addAppKey(): Promise<string> {
    const privateKey = await generateAppKey();
    this.#parts.keys.add(privateKey);
    return privateKey;
  }

  /** Deletes a private key of the App, and returns whether it existed. Its signatures are refused; tokens obtained with it remain valid. */
  removeAppKey(privateKey: string): boolean {
    return this.#parts.keys.remove(privateKey);
  }

  /** Queues a job, in a new run unless a run is named. @throws RangeError when that run is completed. */
  enqueue({ runId, ...request }: EnqueueOptions): JobHandle {
    const run = this.#parts.domain.runs.create({
      jobs: [request],
      id: runId === undefined ? undefined : BigInt(runId),
    });
    const job = this.#parts.domain.runs.jobs(run).at(-1);
    if (job === undefined) throw new RangeError('the run has no job');
    return presentHandle(job);
  }

  /** Queues the jobs of one new run. */
  enqueueRun(requests: readonly JobRequest[], runId?: bigint | string): JobHandle[] {
    const run = this.#parts.domain.runs.create({
      jobs: requests,
      id: runId === undefined ? undefined : BigInt(runId),
    });
    return this.#parts.domain.runs.jobs(run).map(presentHandle);
  }

  /** Returns the current state of a job; undefined when it does not exist. */
  job(id: string): JobHandle | undefined {
    const job = this.#parts.domain.context.state.jobs.get(id);
    return job === undefined ? undefined : presentHandle(job);
  }

  /** Returns the jobs of every attempt of the runs that are kept, oldest first. */
  jobs(): JobHandle[] {
    return [...this.#parts.domain.context.state.jobs.values()].map(presentHandle);
  }

  /** Cancels a run as a user does. @throws RangeError when it does not exist. */
  cancelRun(runId: bigint | string): void {
    this.#parts.domain.runs.cancel(this.#run(runId));
  }

  forceCancelRun(runId: bigint | string): void {
    this.#parts.domain.runs.forceCancel(this.#run(runId));
  }

  /** Starts the next attempt of a completed run with all of its jobs. @throws Refused 403 while the run is in progress. */
  rerunRun(runId: bigint | string): JobHandle[] {
    const run = this.#run(runId);
    this.#parts.domain.runs.rerun(run, () => true);
    return this.#parts.domain.runs.jobs(run).map(presentHandle);
  }

  /** Returns the runners that are registered, oldest first. */
  runners(): RunnerHandle[] {
    return [...this.#parts.domain.context.state.runners.values()].map((runner) => ({
      id: runner.id,
      name: runner.name,
      scope: runner.scope,
      labels: [...runner.labels],
      session: runner.session?.id,
      busy: runner.held.size > 0,
    }));
  }

  /** Deletes a runner in any state, as an administrator can, and returns whether it existed. */
  deleteRunner(id: number): boolean {
    const runner = this.#parts.domain.context.state.runners.get(id);
    if (runner !== undefined) this.#parts.domain.runners.remove(runner, 'administrator');
    return runner !== undefined;
  }

  /** Refuses sessions of a runner, or accepts them again, and returns whether the runner exists. */
  disableRunner(id: number, disabled = true): boolean {
    const runner = this.#parts.domain.context.state.runners.get(id);
    if (runner !== undefined) runner.disabled = disabled;
    return runner !== undefined;
  }

  /**
   * Adds a group of runners to a scope such as `orgs/acme`. Only the given repositories may use it; default: all.
   * Returns its id.
   */
  addRunnerGroup(scope: string, name: string, repositories?: readonly string[]): number {
    return this.#parts.domain.runners.addGroup(scope.toLowerCase(), name, repositories).id;
  }

  /** Ends a session as its idle timeout does, and returns whether it existed. */
  expireSession(id: string): boolean {
    const session = this.#parts.domain.context.state.sessions.get(id);
    if (session !== undefined) this.#parts.domain.sessions.end(session, 'session-expired');
    return session !== undefined;
  }

  /** Expires the issued tokens of a kind: the tokens of one subject, such as the id of a runner, or all of them. */
  expireTokens(kind: CredentialKind, subject?: string): void {
    this.#parts.domain.context.credentials.revoke(kind, subject);
  }

  /** Delivers a message of any type to a session, once, and returns whether the session exists. */
  sendMessage(sessionId: string, type: string, body: string): boolean {
    const session = this.#parts.domain.context.state.sessions.get(sessionId);
    if (session === undefined) return false;
    session.messages.push({ type, body });
    this.#parts.domain.dispatcher.serve(session);
    return true;
  }

  /** Makes everything except the control API unreachable for `ms` milliseconds. */
  partition(ms: number): void {
    this.#parts.partition.start(ms);
  }

  endPartition(): void {
    this.#parts.partition.end();
  }

  /** Returns the number of jobs by outcome. */
  verdict(): Verdict {
    const { tally, violations } = this.#parts.domain.context;
    return tally.verdict(violations.count);
  }

  /** Ends everything: connections, polls and timers. */
  close(): Promise<void> {
    return (this.#closed ??= this.#parts.close());
  }

  #run(id: bigint | string): Run {
    const run = this.#parts.domain.context.state.runs.get(String(id));
    if (run === undefined) throw new RangeError(`no run ${String(id)}`);
    return run;
  }
}

function presentHandle(job: Job): JobHandle {
  return {
    id: String(job.id),
    runId: String(job.run.id),
    attempt: job.attempt,
    name: job.name,
    planId: job.planId,
    repository: job.run.repository,
    status: job.status,
    conclusion: job.conclusion,
    cause: job.cause,
    runner: job.runner?.name,
    workers: [...job.workers],
  };
}
