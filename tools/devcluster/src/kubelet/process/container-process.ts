import { constants } from 'node:os';
import { startProgram, type ProgramStart, type SpawnedProcess } from '@interlock/process';
import type { ContainerExit, RunningContainer } from '../container-runtime.js';
import type { LogFile } from '../logs/log-file.js';

/* Processes that a program started in another group may keep its output open. */
const drainMs = 1_000;
const enterTimeoutMs = 30_000;

/** The launch of a container. */
interface ContainerProgram extends ProgramStart {
  /** Whether the program starts in namespaces, and writes the id of their first process as its first line. */
  isInNamespaces: boolean;
  /** Ends the processes of the container outside of its process group. Never rejects. */
  killRest: () => Promise<void>;
}

/** A container that runs as a process of this machine. */
export interface ContainerProcess extends RunningContainer {
  /** The id of its first process. */
  readonly pid: number;
}

/**
 * Starts a program as a container: its output goes to the log, and none of its processes remain when the first one has
 * ended. Resolves when it runs.
 * @throws TypedError as `startProgram` reports it; Error for a program that cannot enter its namespaces.
 */
export async function startContainerProcess(
  id: string,
  start: ContainerProgram,
  log: LogFile,
): Promise<ContainerProcess> {
  const child = startProgram({ ...start, ignore: ['stdin'] });
  child.stdout.on('error', () => undefined);
  child.stderr.on('data', (chunk: Buffer) => log.append('stderr', chunk)).on('error', () => undefined);
  const ended = endOf(child, start.killRest).then((exit) => {
    log.end();
    return exit;
  });
  const pid = await (start.isInNamespaces ? enteredPid(child, log) : spawnedPid(child, log));
  /* The launcher may be lost later: the end of the process is then reported by `close`. */
  child.on('error', () => undefined);
  const signal = (name: NodeJS.Signals): void => {
    if (name === 'SIGKILL' && !start.isInNamespaces) child.kill(name);
    else send(child, pid, name);
  };
  return { id, ended, pid, signal };
}

function endOf(child: SpawnedProcess, killRest: () => Promise<void>): Promise<ContainerExit> {
  let exit: ContainerExit = { exitCode: 255, reason: 'ContainerStatusUnknown' };
  child.once('exit', (code, signal) => {
    exit = { exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) };
    child.kill('SIGKILL');
    setTimeout(() => child.disconnect(), drainMs).unref();
  });
  return new Promise((resolve) => {
    child.once('close', () => void killRest().then(() => resolve(exit)));
  });
}

function spawnedPid(child: SpawnedProcess, log: LogFile): Promise<number> {
  child.stdout.on('data', (chunk: Buffer) => log.append('stdout', chunk));
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', reject);
  });
}

/** Reads the first line of the output; the rest goes to the log. */
function enteredPid(child: SpawnedProcess, log: LogFile): Promise<number> {
  const { stdout } = child;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), enterTimeoutMs);
    let head = Buffer.alloc(0);
    const take = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\n');
      if (end < 0) return;
      clearTimeout(timer);
      stdout.off('data', take).on('data', (output: Buffer) => log.append('stdout', output));
      log.append('stdout', head.subarray(end + 1));
      resolve(Number(head.subarray(0, end)));
    };
    stdout.on('data', take);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      const why = log.lines().map(({ text }) => text);
      reject(new Error(why.join('\n') || 'the program did not come into its namespaces'));
    });
  });
}

/**
 * Sends a signal. As in a container, only the first process receives it; the processes in its namespaces end with
 * that process.
 */
function send({ exitCode, signalCode }: SpawnedProcess, pid: number, signal: NodeJS.Signals): void {
  if (exitCode !== null || signalCode !== null) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended; its end will be reported.
  }
}
