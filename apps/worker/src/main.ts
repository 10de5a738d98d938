import { writeSync } from 'node:fs';
import { systemClock } from '@interlock/base';
import { workerExitCodes } from '@interlock/api/worker-contract';
import { isDockerReady } from './docker-wait.js';
import { runJob } from './run-job.js';
import { startRunner } from './runner-process.js';
import { terminationMessagePath } from './settings.js';
import { StopSignals } from './signals.js';
import { TerminationMessage } from './termination-message.js';

/* Before all else: a signal that is not handled ends the program without a report. */
const signals = new StopSignals(process);
const message = new TerminationMessage(terminationMessagePath(process.env));

/* The output is shared with the runner: each line is one write, which is complete when this process exits. */
function log(line: string): void {
  try {
    writeSync(2, `interlock-worker: ${line}\n`);
  } catch {
    /* The reader of the output is gone. */
  }
}

try {
  const report = message.write.bind(message);
  const { env } = process;
  process.exit(await runJob({ env, clock: systemClock, signals, startRunner, isDockerReady, report, log }));
} catch (error) {
  log(error instanceof Error ? (error.stack ?? error.message) : 'the program has failed');
  process.exit(workerExitCodes.crashed);
}
