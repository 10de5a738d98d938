import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Print } from './narrator.js';

const timeoutMs = 60_000;
const pauseMs = 500;
/** The exit code of the program when the API server did not respond. */
const unavailable = 4;

/**
 * Runs a program of this project, and prints its output. The command line does not wait for an unavailable API server,
 * so the program is repeated for a minute.
 *
 * @param shown the command as a user writes it
 * @param bundle file of the program
 * @param args printed arguments; `hidden` are additional ones
 * @returns its exit code.
 * @throws Error when the program is killed, for example by its timeout of a minute
 */
export async function quoteProgram(
  print: Print,
  shown: string,
  bundle: string,
  args: readonly string[],
  hidden: readonly string[],
): Promise<number> {
  const deadline = Date.now() + timeoutMs;
  let ended = await runProgram([bundle, ...args, ...hidden]);
  while (ended.code === unavailable && Date.now() < deadline) {
    await sleep(pauseMs);
    ended = await runProgram([bundle, ...args, ...hidden]);
  }
  print(`  $ ${shown} ${args.map((arg) => (arg.includes(' ') ? JSON.stringify(arg) : arg)).join(' ')}`);
  for (const line of ended.output.trim().split('\n')) print(`    ${line}`);
  return ended.code;
}

function runProgram(command: readonly string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, { timeout: timeoutMs }, (error, stdout, stderr) => {
      const output = `${stderr}${stdout}`;
      if (error === null) resolve({ code: 0, output });
      else if (typeof error.code === 'number') resolve({ code: error.code, output });
      else reject(error);
    });
  });
}
