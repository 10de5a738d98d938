import { Launcher } from './launcher.js';
import { runBy, type ProgramResult, type ProgramRun } from './run.js';
import type { ProgramStart, SpawnedProcess } from './spawned-process.js';

/* One launcher for all copies of this module in a process. */
const key = Symbol.for('interlock.launcher');
const holder = globalThis as { [key]?: Launcher };

function sharedLauncher(): Launcher {
  return (holder[key] ??= new Launcher());
}

/** Starts a program with the launcher of this process; see {@link Launcher.start}. */
export function startProgram(start: ProgramStart): SpawnedProcess {
  return sharedLauncher().start(start);
}

/** Runs a program to its end with the launcher of this process; see {@link runBy}. */
export function runProgram(run: ProgramRun): Promise<ProgramResult> {
  return runBy(sharedLauncher(), run);
}
