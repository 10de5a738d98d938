import type { KeyObject } from 'node:crypto';
import type { Reply } from '../http/message.js';

export interface Installation {
  id: number;
  account: string;
  budget: { used: number; resetsAt: number };
}

/** `orgs/acme`, `repos/acme/web` or `enterprises/acme`: the REST path of the account or repository that runners belong to. */
export type Scope = string;

export interface RunnerGroup {
  id: number;
  name: string;
  scope: Scope;
  /** Full names of the repositories that may use the group; undefined if all may. */
  repositories: readonly string[] | undefined;
}

export interface Runner {
  id: number;
  name: string;
  scope: Scope;
  groupId: number;
  labels: readonly string[];
  ephemeral: boolean;
  jit: boolean;
  clientId: string;
  publicKey: KeyObject;
  fips: boolean;
  os: string;
  version: string;
  disabled: boolean;
  session: Session | undefined;
  /** Deliveries that the runner acquired and that are neither concluded nor lapsed. */
  held: Set<Delivery>;
  /**
   * The reply to the next poll after a single-use runner acquired its job and its credential ended; undefined before.
   */
  consumed: 'empty' | 'unauthorized' | undefined;
  /** Whether the runner is for a single job, and has acquired a job. */
  used: boolean;
  /** Whether the runner had a session, so that its configuration does not expire. */
  connected: boolean;
  propagationLeft: number;
  unusedTimer: Timer | undefined;
}

export interface Timer {
  cancel(): void;
}

export type SessionStatus = 'online' | 'busy' | 'offline';

export interface PendingPoll {
  status: SessionStatus;
  answer(reply: PollReply): void;
  /**
   * Whether the poll has an overlapping successor that is still being checked, so that it does not receive a message.
   */
  superseded: boolean;
}

/** A reply to a poll, and what to do when it did not reach the client. */
export interface PollReply {
  reply: Reply;
  lost?: (() => void) | undefined;
}

export interface Session {
  id: string;
  runner: Runner;
  ownerName: string;
  poll: PendingPoll | undefined;
  /** Messages of the control API, each delivered once. */
  messages: { type: string; body: string }[];
  offer: Delivery | undefined;
  idleTimer: Timer | undefined;
  redeliveryTimer: Timer | undefined;
}

export type JobConclusion = 'success' | 'failure' | 'cancelled' | 'skipped';

/** One attempt of a job. */
export interface Job {
  /** REST id, which is also the id of its check run. */
  id: bigint;
  run: Run;
  attempt: number;
  name: string;
  labels: readonly string[];
  planId: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: JobConclusion | undefined;
  /** Why the service concluded the job. */
  cause: JobCause | undefined;
  runner: { id: number; name: string; groupId: number } | undefined;
  deliveries: Delivery[];
  workers: Set<string>;
  request: JobRequest;
  queuedAt: number;
  /** When the job was acquired, as the REST API returns it. */
  startedAt: number | undefined;
  completedAt: number | undefined;
  queueTimer: Timer | undefined;
}

/** The cause of the end of a job: a report of its worker or gateway, a user, or the service. */
export type JobCause =
  | 'reported'
  | 'never-run'
  | 'cancelled'
  | 'lost-communication'
  | 'unstarted'
  | 'queue-timeout'
  | 'carried-over';

export interface JobRequest {
  /** `owner/name`. */
  repository: string;
  labels: readonly string[];
  /** Default: `build`. */
  jobName?: string | undefined;
  /** Time for which a simulated worker runs the job, in milliseconds; a variable of the payload. */
  durationHint?: number | undefined;
  /** Top-level fields that replace fields of the payload. */
  payloadExtra?: Record<string, unknown> | undefined;
  /** Values by name: the payload contains each as a variable with `isSecret` and as a mask. */
  secrets?: Record<string, string> | undefined;
  /** The number of further sessions to which the job is offered at the same time. */
  siblings?: number | undefined;
}

export type DeliveryState = 'offered' | 'acquired' | 'concluded' | 'withdrawn' | 'lapsed' | 'gone';

/** An offer of a job to one session, with a unique id. */
export interface Delivery {
  /** `runner_request_id`, and the `jobId` of the payload. */
  id: string;
  job: Job;
  runner: Runner;
  session: Session;
  state: DeliveryState;
  /** Last segment of its run service URL. */
  shard: number;
  acknowledged: boolean;
  sentAt: number | undefined;
  /** Whether the runner polled again without acquiring the job. */
  refused: boolean;
  /** Whether a worker reported that it runs the job of this delivery. */
  started: boolean;
  token: string;
  lockedUntil: number;
  renewedAfterGone: number;
  offerTimer: Timer | undefined;
  lockTimer: Timer | undefined;
  unstartedTimer: Timer | undefined;
}

export interface Run {
  id: bigint;
  repository: string;
  number: number;
  attempt: number;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: JobConclusion | undefined;
  cancelRequested: boolean;
  /** Jobs of every attempt, by its number. */
  attempts: Map<number, Job[]>;
  createdAt: number;
  cancelTimer: Timer | undefined;
}
