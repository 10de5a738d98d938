import { isTyped } from '@interlock/api';

/** How the program ends. */
export const exitCodes = {
  ok: 0,
  /** Something failed: the cluster, a check, a file. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** `why`: the object is held. */
  held: 3,
  /** `explain`: another responder's, or no route matches. */
  notRouted: 3,
  /** The API server did not answer, or is overloaded: the command can be repeated. */
  unavailable: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Returns the exit code for an error that ended a command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Failure) return error.code;
  return isTyped(error, 'Transient', 'RateLimited') ? exitCodes.unavailable : exitCodes.failed;
}

/** Ends a command with a message for people. */
export class Failure extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = exitCodes.failed) {
    super(message);
    this.name = 'Failure';
    this.code = code;
  }
}

/** Returns a failure because of how the command was written. */
export function usage(message: string): Failure {
  return new Failure(message, exitCodes.usage);
}
