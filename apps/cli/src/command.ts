import type { ExitCode } from './exit.js';
import type { Io } from './io.js';

/** What the command lines of one run share. */
export interface Run {
  io: Io;
  /** How the program was called up to here, such as `interlock gate` or `flux-gate`. */
  name: string;
  /** Keeps how the program is to end. */
  ended: (code: ExitCode) => void;
}

/** Returns the examples of a help text. */
export function examples(name: string, ...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => (line.startsWith('#') ? `  ${line}` : `  ${name} ${line}`)).join('\n')}`;
}
