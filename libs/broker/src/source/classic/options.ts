import type { Logger } from '@interlock/base';
import type { Broker } from '../../broker.js';
import type { RunnerDescription } from '../../session/broker-calls.js';
import type { AgentStore } from '../agent-store.js';

/** The options of the source of the jobs of one RunnerGroup at the classic broker. */
export interface ClassicSourceOptions {
  broker: Broker;
  store: AgentStore;
  /** Prefix of the names of runners; unique for the RunnerGroup, and at most 40 characters. */
  namePrefix: string;
  /** Labels of the runners, 1 to 100. */
  labels: readonly string[];
  /** Id of the runner group at GitHub. Default: 1, the default group. */
  runnerGroupId?: number | undefined;
  runner: RunnerDescription;
  /** Sessions that may wait for jobs at a time, at least 1. */
  maxListeners: number;
  /** The name of this process at the service. */
  ownerName?: string | undefined;
  timings?: Partial<ClassicTimings> | undefined;
  /** Default: the logger of the broker. */
  log?: Logger | undefined;
}

/** Durations in milliseconds; they follow the service, or limit the load on it. */
export interface ClassicTimings {
  /** A job that is not claimed within this time is offered to another runner. */
  offerWindowMs: number;
  /** How long a session pauses after an offer for which there is no room. */
  heldPauseMs: number;
  /** The number of empty polls after which an extra session ends. */
  idlePolls: number;
  pollTimeoutMs: number;
  /** The time between attempts while the version of the runner is refused. */
  versionRetryMs: number;
  /** The time between attempts to remove a runner that has a job: initially, and at most. */
  removal: { baseMs: number; maxMs: number };
  /** The time between attempts to get a working runner: initially, and at most. */
  restart: { baseMs: number; maxMs: number };
}

export const defaultTimings: ClassicTimings = {
  offerWindowMs: 120_000,
  heldPauseMs: 30_000,
  idlePolls: 3,
  pollTimeoutMs: 100_000,
  versionRetryMs: 5 * 60_000,
  removal: { baseMs: 10_000, maxMs: 5 * 60_000 },
  restart: { baseMs: 5_000, maxMs: 5 * 60_000 },
};
