import type { Logger } from '@interlock/base';
import type { Broker } from '../../broker.js';
import type { RunnerDescription } from '../../session/broker-calls.js';
import type { AgentStore } from '../agent-store.js';

/** Where the jobs of one RunnerGroup come from, by the classic broker. */
export interface ClassicSourceOptions {
  broker: Broker;
  store: AgentStore;
  /** Names of runners begin with it; unique for the RunnerGroup, and at most 40 characters. */
  namePrefix: string;
  /** Labels of the runners, 1 to 100. */
  labels: readonly string[];
  /** Id of the runner group at GitHub. Default: 1, the default group. */
  runnerGroupId?: number | undefined;
  runner: RunnerDescription;
  /** Sessions that may wait for jobs at a time, at least 1. */
  maxListeners: number;
  /** Names this process to the service. */
  ownerName?: string | undefined;
  timings?: Partial<ClassicTimings> | undefined;
  /** Default: that of the broker. */
  log?: Logger | undefined;
}

/** Milliseconds, all of them the service's or a matter of manners. */
export interface ClassicTimings {
  /** A job that is not claimed within this time is offered to another runner. */
  offerWindowMs: number;
  /** How long a session pauses that was offered a job for which there is no room. */
  heldPauseMs: number;
  /** An extra session leaves after so many empty polls. */
  idlePolls: number;
  pollTimeoutMs: number;
  /** Between attempts while the version of the runner is refused. */
  versionRetryMs: number;
  /** Between attempts to remove a runner that a job pins: at first, and at most. */
  removal: { baseMs: number; maxMs: number };
  /** Between attempts to get a runner that works: at first, and at most. */
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
