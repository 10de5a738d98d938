import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ProcessEnd } from './exit-code.js';
import { errorCode, Misconfigured } from './misconfigured.js';

/** A runner that was started. */
export interface RunnerProcess {
  /** The pipe from which the runner reads its frames. */
  readonly input: Writable;
  readonly ended: Promise<ProcessEnd>;
  /** Signals every process of the runner's group, including those that its job started. */
  signalGroup(signal: NodeJS.Signals): void;
}

/**
 * Starts `bin/Runner.Worker spawnclient 3 4` in a process group of its own, with a pipe that it reads as descriptor 3 and one that
 * it writes as descriptor 4. It shares the standard output and error of this process. Its writes to the pipe have no meaning, and
 * are discarded at once. The group is killed when this process exits.
 *
 * @param env the environment of the runner
 * @throws Misconfigured when the program cannot be started
 */
export async function startRunner(home: string, env: NodeJS.ProcessEnv): Promise<RunnerProcess> {
  const program = join(home, 'bin/Runner.Worker');
  let child: ChildProcess;
  let ended: Promise<ProcessEnd>;
  try {
    child = spawn(program, ['spawnclient', '3', '4'], {
      cwd: join(home, 'bin'),
      env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
    });
    ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    /* Node.js throws some errors, and reports one of `spawn` and `error` otherwise in the next turn of its event loop. */
    await once(child, 'spawn');
  } catch (error) {
    throw new Misconfigured(
      `cannot start ${program} (${errorCode(error)}); use an image with the GitHub Actions runner, or set RUNNER_HOME_DIR`,
    );
  }
  const { pid = 0 } = child;
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-pid, signal);
    } catch {
      /* It has ended. */
    }
  };
  const killAtExit = (): void => signalGroup('SIGKILL');
  process.once('exit', killAtExit);
  const output = child.stdio[4] as Readable;
  output.on('error', () => undefined).resume();
  return { input: child.stdio[3] as Writable, ended, signalGroup };
}
