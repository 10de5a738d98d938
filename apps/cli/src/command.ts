import type { ExitCode } from './exit.js';
import type { Io } from './io.js';

/** What the commands of one run share. */
export interface Run {
  io: Io;
  /** The program and the commands before the current one, as the user called them, such as `interlock gate` or `flux-gate`. */
  name: string;
  /** Stores the exit code of the program. */
  ended: (code: ExitCode) => void;
}

/** Returns the examples section of a help text. */
export function examples(name: string, ...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => (line.startsWith('#') ? `  ${line}` : `  ${name} ${line}`)).join('\n')}`;
}
