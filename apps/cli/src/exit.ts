import { isTyped } from '@interlock/api';

/** The exit codes of the program. */
export const exitCodes = {
  ok: 0,
  /** An operation in the cluster, a check, or an operation on a file failed. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** `why`: the object is held. */
  held: 3,
  /** `explain`: the response is for another responder, or no route matches. */
  notRouted: 3,
  /** The API server does not answer or is overloaded, so the command can be repeated. */
  unavailable: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Returns the exit code for an error that ended a command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Failure) return error.code;
  return isTyped(error, 'Transient', 'RateLimited') ? exitCodes.unavailable : exitCodes.failed;
}

/** Ends a command with a message for the user. */
export class Failure extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = exitCodes.failed) {
    super(message);
    this.name = 'Failure';
    this.code = code;
  }
}

/** Returns a failure caused by an invalid command line. */
export function usage(message: string): Failure {
  return new Failure(message, exitCodes.usage);
}
