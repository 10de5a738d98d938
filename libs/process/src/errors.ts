import { TypedError } from '@interlock/api';
import type { FailedReport } from './protocol.js';

/** The reasons of the errors of this library. */
export const processReasons = {
  /** `Permanent`: the program does not exist. */
  programMissing: 'ProgramMissing',
  /** `NotFound`: the folder in which to run does not exist. */
  folderMissing: 'FolderMissing',
  /** `Transient`: the system refuses to start the program. */
  notStarted: 'ProcessNotStarted',
  /** `Transient`: the limit of running processes is reached. */
  tooMany: 'TooManyProcesses',
  /** `Transient`: the launcher, or a resource that it needs, is not available; the next start uses another launcher. */
  launcherLost: 'LauncherLost',
  /** `Transient`: the program did not end in time. */
  timeout: 'ProcessTimeout',
  /** `Invalid`: the output of the program exceeds the bound. */
  outputTooLarge: 'OutputTooLarge',
} as const;

/** Returns the error for a program that could not be started in `folder`. */
export function startError(program: string, folder: string, report: FailedReport): TypedError {
  const { code, message, hasFolder } = report;
  if (!hasFolder)
    return new TypedError('NotFound', `cannot start ${program}: the folder ${folder} does not exist`, {
      reason: processReasons.folderMissing,
    });
  if (code === 'ENOENT') return programMissing(program);
  return new TypedError('Transient', `cannot start ${program}: ${message}`, {
    reason: processReasons.notStarted,
    isLocal: true,
  });
}

function programMissing(program: string): TypedError {
  return new TypedError('Permanent', `the program ${program} was not found`, {
    reason: processReasons.programMissing,
  });
}

export function launcherLost(why: string, cause?: unknown): TypedError {
  return new TypedError('Transient', `the process that starts programs is not available: ${why}`, {
    reason: processReasons.launcherLost,
    isLocal: true,
    cause,
  });
}

export function tooManyProcesses(limit: number): TypedError {
  return new TypedError('Transient', `the limit of ${limit} running processes is reached`, {
    reason: processReasons.tooMany,
    isLocal: true,
  });
}

/**
 * Returns the error for a program that did not end in time. @param name the name of the command, such as `git fetch`.
 */
export function timeoutError(name: string, timeoutMs: number): TypedError {
  return new TypedError('Transient', `${name} did not finish within ${timeoutMs / 1000} s`, {
    reason: processReasons.timeout,
  });
}

export function outputTooLarge(name: string, maxBytes: number): TypedError {
  return new TypedError('Invalid', `${name} wrote more than ${maxBytes} bytes`, {
    reason: processReasons.outputTooLarge,
  });
}
