import { spawn } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { startProgram } from '@interlock/process';

/** The methods of a process that both ways of starting it offer. */
interface StartedProgram extends EventEmitter {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** A way to start a program by its path. */
export type Start = (program: string, ...args: string[]) => StartedProgram;

const environment = { PATH: process.env['PATH'] ?? '' };

export const byLauncher: Start = (program, ...args) =>
  startProgram({ program, args, environment }) as EventEmitter as StartedProgram;

export const bySpawn: Start = (program, ...args) =>
  spawn(program, args, { env: environment, cwd: '/', detached: true, stdio: 'pipe' });
