import type { Clock } from '@interlock/base';
import type { Settings } from '../options.js';
import type { SeededRandom } from '../random.js';
import type { ServiceEvents } from '../record/service-events.js';
import type { Violations } from '../record/violations.js';
import type { Credentials } from './credentials.js';
import type { Delivery, Installation, Job, Run, Runner, RunnerGroup, Scope, Session } from './model.js';
import type { RunnerKeys } from './runner-keys.js';
import type { Tally } from './tally.js';
import { WaitingSessions } from './waiting-sessions.js';

/** The URLs of the bases, without a trailing slash. */
export interface ServiceUrls {
  /** REST, as on GitHub Enterprise Server: `<origin>/api/v3`. */
  rest: string;
  token: string;
  tenant: string;
  broker: string;
  run: string;
  results: string;
  control: string;
  /** Origin of REST, with which configuration URLs such as `<web>/acme` begin. */
  web: string;
}

/** The dependencies that all parts of the service share. */
export interface DomainContext {
  clock: Clock;
  random: SeededRandom;
  settings: Settings;
  events: ServiceEvents;
  violations: Violations;
  credentials: Credentials;
  keys: RunnerKeys;
  tally: Tally;
  urls: () => ServiceUrls;
  state: ServiceState;
}

/** All objects of the service. */
export class ServiceState {
  readonly installations = new Map<number, Installation>();
  readonly groups = new Map<number, RunnerGroup>();
  readonly runners = new Map<number, Runner>();
  readonly runnersByClient = new Map<string, Runner>();
  /** Runners by {@link runnerNameKey}. */
  readonly runnersByName = new Map<string, Runner>();
  /**
   * Single-use runners whose job was acquired; their credentials are refused with 401 even after their records are
   * removed.
   */
  readonly consumed = new Set<number>();
  readonly sessions = new Map<string, Session>();
  readonly waiting = new WaitingSessions();
  /** Runs by decimal id, oldest first. */
  readonly runs = new Map<string, Run>();
  /** Jobs by decimal id. */
  readonly jobs = new Map<string, Job>();
  /** Jobs that are not offered to a session, oldest first. */
  readonly queue = new Set<Job>();
  readonly deliveries = new Map<string, Delivery>();
}

/** Returns the key of the name of a runner, which is unique within a scope, ignoring case. */
export function runnerNameKey(scope: Scope, name: string): string {
  return `${scope}\n${name.toLowerCase()}`;
}

/** Returns what an event states about a job. */
export function jobFields(job: Job): { run: string; attempt: number; job: string } {
  return { run: String(job.run.id), attempt: job.attempt, job: String(job.id) };
}

/** Returns what an event states about a delivery. */
export function deliveryFields(delivery: Delivery): ReturnType<typeof jobFields> & {
  runner: number;
  session: string;
  delivery: string;
} {
  return {
    ...jobFields(delivery.job),
    runner: delivery.runner.id,
    session: delivery.session.id,
    delivery: delivery.id,
  };
}
