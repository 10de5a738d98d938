import { execFile } from 'node:child_process';
import type { Client } from '@interlock/kube';
import type { Say } from './narrator.js';

const timeoutMs = 60_000;

/**
 * Runs a program of this project, and quotes it.
 * @param shown how people call it
 * @param bundle its file
 * @param args what people see; `hidden` are more of them
 * @returns its exit code.
 * @throws Error when it is killed, also by its timeout of a minute.
 */
export async function quoteProgram(
  say: Say,
  shown: string,
  bundle: string,
  args: readonly string[],
  hidden: readonly string[],
): Promise<number> {
  say(`  $ ${shown} ${args.map((arg) => (arg.includes(' ') ? JSON.stringify(arg) : arg)).join(' ')}`);
  const command = [bundle, ...args, ...hidden];
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve, reject) => {
    execFile(process.execPath, command, { timeout: timeoutMs }, (error, stdout, stderr) => {
      const output = `${stderr}${stdout}`;
      if (error === null) resolve({ code: 0, output });
      else if (typeof error.code === 'number') resolve({ code: error.code, output });
      else reject(error);
    });
  });
  for (const line of output.trim().split('\n')) say(`    ${line}`);
  return code;
}

/** Waits until the API server answers: a program of a user does not wait for one that is away. */
export async function apiAnswers(client: Client): Promise<void> {
  await client.raw({ method: 'GET', path: '/version' });
}
