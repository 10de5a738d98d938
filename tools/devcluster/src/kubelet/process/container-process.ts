import { constants } from 'node:os';
import { startProgram, type ProgramStart, type SpawnedProcess } from '@interlock/process';
import type { ContainerExit, RunningContainer } from '../container-runtime.js';
import type { LogFile } from '../logs/log-file.js';

/* What a program has started in a group of its own may hold its output open. */
const drainMs = 1_000;

/**
 * Starts a program as a container: it leads a process group, its output goes to the log, and what is left of its group is
 * killed when it ends. Resolves when it runs.
 * @throws TypedError as `startProgram` reports it.
 */
export async function startContainerProcess(
  id: string,
  start: ProgramStart,
  log: LogFile,
): Promise<RunningContainer> {
  const child = startProgram({ ...start, ignore: ['stdin'] });
  child.stdout.on('data', (chunk: Buffer) => log.append('stdout', chunk)).on('error', () => undefined);
  child.stderr.on('data', (chunk: Buffer) => log.append('stderr', chunk)).on('error', () => undefined);
  let exit: ContainerExit = { exitCode: 255, reason: 'ContainerStatusUnknown' };
  child.once('exit', (code, signal) => {
    exit = { exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) };
    child.kill('SIGKILL');
    setTimeout(() => child.disconnect(), drainMs).unref();
  });
  const ended = new Promise<ContainerExit>((resolve) => {
    child.once('close', () => {
      log.end();
      resolve(exit);
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  /* The launcher may be lost later: the end of the process is then reported by `close`. */
  child.on('error', () => undefined);
  return { id, ended, signal: (signal) => send(child, signal) };
}

/** As in a container, only the first process gets a signal that it can handle; nothing survives the other one. */
function send(child: SpawnedProcess, signal: NodeJS.Signals): void {
  const { pid, exitCode, signalCode } = child;
  if (signal === 'SIGKILL') return child.kill(signal);
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended; its end will be reported.
  }
}
