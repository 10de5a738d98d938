import { isTyped, TypedError } from '@interlock/api';
import { processReasons, runProgram, startProgram, type SpawnedProcess } from '@interlock/process';

export interface Command {
  program: string;
  args: readonly string[];
  /** The operation, for messages. */
  operation: string;
  environment: Readonly<Record<string, string>>;
  input?: string | Buffer | undefined;
  signal?: AbortSignal | undefined;
  timeoutMs: number;
  maxOutputBytes: number;
}

export interface CommandResult {
  /** The exit code; -1 when a signal ended the process. */
  code: number;
  stdout: Buffer;
  /** The end of the standard error, at most 64 KiB. */
  stderr: string;
}

/** Starts a program in its own process group, outside every repository's folder. */
export function start(command: Pick<Command, 'program' | 'args' | 'environment'>): SpawnedProcess {
  return startProgram(command);
}

/**
 * Runs a program to its end.
 * @returns the exit code and the output, whatever the code is.
 * @throws the signal's reason after an abort; TypedError `Transient` (`GitTimeout`), `Invalid` (`GitOutputTooLarge`) or
 * `Permanent` (`GitNotFound`).
 */
export async function run(command: Command): Promise<CommandResult> {
  const { operation, ...rest } = command;
  try {
    const { code = -1, stdout, stderr } = await runProgram({ ...rest, name: `git ${operation}` });
    return { code, stdout, stderr };
  } catch (error) {
    throw isTyped(error) ? asGitError(error) : error;
  }
}

/** Returns the error of a git operation that timed out. */
export function timeoutError(operation: string, timeoutMs: number): TypedError {
  return new TypedError('Transient', `git ${operation} did not finish within ${timeoutMs / 1000} s`, {
    reason: 'GitTimeout',
  });
}

/** Returns the error of a missing program. */
export function programMissing(program: string): TypedError {
  return new TypedError(
    'Permanent',
    `the program ${program} was not found; install it, or correct its path`,
    { reason: 'GitNotFound' },
  );
}

const gitReasons: Readonly<Record<string, string>> = {
  [processReasons.programMissing]: 'GitNotFound',
  [processReasons.notStarted]: 'GitNotStarted',
  [processReasons.timeout]: 'GitTimeout',
  [processReasons.outputTooLarge]: 'GitOutputTooLarge',
};

function asGitError(error: TypedError): TypedError {
  const reason = gitReasons[error.reason] ?? error.reason;
  return new TypedError(error.type, error.message, { reason, cause: error });
}
