import type { Clock } from '@interlock/base';
import type { RunnerKeys } from './domain/runner-keys.js';

/** A group of endpoints that GitHub serves from separate hosts. */
export type Base = 'rest' | 'token' | 'tenant' | 'broker' | 'run' | 'results' | 'control';

/**
 * `live`: the measured behavior of GitHub. `seed`: the behavior in the published design of the gateway, with sessions
 * at `sessions`, which can be polled again after a job was acquired, and runners that take any number of jobs.
 */
export type Dialect = 'live' | 'seed';

/** Durations in milliseconds. */
interface Timings {
  /** How long a poll without a message is held. */
  pollHold: number;
  /** How long a poll may overlap the poll that it replaces: the time until an aborted request is noticed. */
  pollOverlap: number;
  /** After this time, an offered job that is not acquired is offered to another session. */
  offerWindow: number;
  /** After this time, an offered job that is neither acquired nor acknowledged is delivered again. */
  redelivery: number;
  /** Lifetime of the lock of an acquired job from its acquisition or last renewal. */
  lock: number;
  /** How late a renewal may be to be answered with 404 without counting as a violation. */
  renewalRace: number;
  /** After this time, a job that was acquired, but not started or renewed, cancels its run. */
  unstartedJob: number;
  /** After this time, a session without a poll expires. */
  sessionIdle: number;
  /** After this time, a runner of a JIT configuration that never had a session is deleted. */
  jitUnused: number;
  /** After this time, the service cancels a job whose cancellation was requested. */
  cancelGrace: number;
  /** After this time, a forced cancellation takes effect. */
  forceCancel: number;
  /** After this time, a queued job is cancelled. */
  queue: number;
  runnerToken: number;
  registrationToken: number;
  installationToken: number;
  /** The lifetime of a job token, which outlives its job by design. */
  jobToken: number;
  /** Largest accepted difference between the clocks, in an assertion of a runner. */
  clockSkew: number;
}

/** The durations that were observed at GitHub, or that its documentation states. */
const liveTimings: Timings = {
  pollHold: 50_000,
  pollOverlap: 1_000,
  offerWindow: 120_000,
  redelivery: 1_000,
  lock: 600_000,
  renewalRace: 5_000,
  unstartedJob: 900_000,
  sessionIdle: 130_000,
  jitUnused: 3_600_000,
  cancelGrace: 300_000,
  forceCancel: 1_000,
  queue: 86_400_000,
  runnerToken: 3_000_000,
  registrationToken: 3_600_000,
  installationToken: 3_600_000,
  jobToken: 22_200_000,
  clockSkew: 300_000,
};

/** One installation of the App. */
interface InstallationOptions {
  id: number;
  /** Login of the organization or user; also the slug of the enterprise. */
  account: string;
}

/** The App that the client authenticates as. */
interface AppOptions {
  id: number;
  clientId: string;
  /** PEM; without it, a key is generated. */
  privateKey?: string | undefined;
}

export interface ActionsServiceOptions {
  /** Default: the clock of the machine. */
  clock?: Clock | undefined;
  /** The seed of all random values except secrets; default: 1. */
  seed?: number | undefined;
  /** `https` serves HTTP/2 and HTTP/1.1 on one port, with a certificate of its own; default: `http`, which is HTTP/1.1. */
  protocol?: 'http' | 'https' | undefined;
  /** Loopback address on which the service listens; default: 127.0.0.1. */
  address?: string | undefined;
  /** Host name by which clients reach the service, except for the control API; default: the address. */
  hostName?: string | undefined;
  /** Port on which the service listens; default: a free port. */
  port?: number | undefined;
  /** Serves each base on a separate port, and refuses a base on the port of another. */
  separatePorts?: boolean | undefined;
  dialect?: Dialect | undefined;
  timings?: Partial<Timings> | undefined;
  /** Live dialect: whether a single-use runner is kept until its job completes; its polls with the status Busy return the cancellation. */
  busyPolls?: boolean | undefined;
  /** The answer to a runner that acquires its job again: 409, or the same job. */
  acquireRepeat?: 'conflict' | 'same' | undefined;
  /** Probability that a job is offered to two sessions. */
  fanOutProbability?: number | undefined;
  /** Whether renewals postpone the end of a job that was not started; default: true. */
  renewalsKeepUnstarted?: boolean | undefined;
  app?: AppOptions | undefined;
  installations?: readonly InstallationOptions[] | undefined;
  /** REST requests per hour for each installation; default: 5,000. */
  rateLimit?: number | undefined;
  /** Default: 2.329.0. */
  minimumRunnerVersion?: string | undefined;
  /** Status of `RunnerSessionInvalid`; default: 400. */
  sessionInvalidStatus?: number | undefined;
  /** Whether the registration of a runner directs clients to the runner-admin endpoints. */
  runnerAdmin?: boolean | undefined;
  /** Whether an identifier of an assertion may be used only once. */
  strictAssertionIds?: boolean | undefined;
  /** Whether new runners must sign with PS256, as `requireFipsCryptography` states. */
  requireFips?: boolean | undefined;
  /** How many token requests of a new runner fail while its registration propagates. */
  propagationFailures?: number | undefined;
  /** Entries of the journals that are kept; default: 50,000. */
  journalLimit?: number | undefined;
  /** Completed runs that are kept; default: 10,000. */
  retainRuns?: number | undefined;
  /** Keys for runners, shared by services of one process; default: generated by each service. */
  runnerKeys?: RunnerKeys | undefined;
}

/** The options with their defaults. */
export interface Settings {
  dialect: Dialect;
  timings: Timings;
  busyPolls: boolean;
  acquireRepeat: 'conflict' | 'same';
  fanOutProbability: number;
  renewalsKeepUnstarted: boolean;
  rateLimit: number;
  minimumRunnerVersion: string;
  sessionInvalidStatus: number;
  runnerAdmin: boolean;
  strictAssertionIds: boolean;
  requireFips: boolean;
  propagationFailures: number;
  journalLimit: number;
  retainRuns: number;
}

/** Returns the options with their defaults. */
export function settingsOf(options: ActionsServiceOptions): Settings {
  return {
    dialect: options.dialect ?? 'live',
    timings: { ...liveTimings, ...options.timings },
    busyPolls: options.busyPolls ?? false,
    acquireRepeat: options.acquireRepeat ?? 'conflict',
    fanOutProbability: options.fanOutProbability ?? 0,
    renewalsKeepUnstarted: options.renewalsKeepUnstarted ?? true,
    rateLimit: options.rateLimit ?? 5_000,
    minimumRunnerVersion: options.minimumRunnerVersion ?? '2.329.0',
    sessionInvalidStatus: options.sessionInvalidStatus ?? 400,
    runnerAdmin: options.runnerAdmin ?? false,
    strictAssertionIds: options.strictAssertionIds ?? false,
    requireFips: options.requireFips ?? false,
    propagationFailures: options.propagationFailures ?? 0,
    journalLimit: options.journalLimit ?? 50_000,
    retainRuns: options.retainRuns ?? 10_000,
  };
}
