import { setTimeout as sleep } from 'node:timers/promises';
import type { Print } from '../scenario/narrator.js';
import { explanation } from './explanation.js';
import { startGateway } from './gateway.js';
import { plannedJobs } from './plan.js';
import { playJobs } from './play.js';

const forever = 2 ** 31 - 1;

interface JobsRun {
  /** Folder for the files of the scenario. */
  folder: string;
  /** Whether to exit when the jobs have ended. */
  once: boolean;
  print: Print;
  /** Aborts the run. */
  signal: AbortSignal;
}

/** Runs the scenario of CI jobs. Returns the exit code: 1 if a job was lost, run twice or had an unexpected conclusion. */
export async function runJobs({ folder, once, print, signal }: JobsRun): Promise<number> {
  print(`Interlock: ${plannedJobs.length} CI jobs on the runners of a tenant`);
  const gateway = await startGateway({ folder, print, signal });
  try {
    if (!once) print(explanation(gateway));
    const problems = await playJobs(gateway, print, signal);
    for (const problem of problems) print(`PROBLEM: ${problem}`);
    if (!once) {
      print('Press Ctrl-C to stop.');
      await sleep(forever, undefined, { signal });
    }
    return problems.length === 0 ? 0 : 1;
  } finally {
    await gateway.close();
  }
}
