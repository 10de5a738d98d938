import { delay, type Clock } from '@interlock/base';
import { workerExitCodes, workerKillSeconds } from '@interlock/api/worker-contract';
import type { WorkerReport } from '@interlock/api/worker-report';
import { trustAuthorities } from './certificates.js';
import { channelTimeoutMs, RunnerChannel } from './channel.js';
import { waitForDocker, type isDockerReady } from './docker-wait.js';
import { withEnvFile } from './env-file.js';
import { containerExitCode, runnerResult, signalExitCode, type ProcessEnd } from './exit-code.js';
import { frameChunks, frameTypes } from './frames.js';
import { Misconfigured } from './misconfigured.js';
import { readPayloadFolder } from './payload.js';
import { writeRunnerFile } from './runner-file.js';
import type { RunnerProcess, startRunner } from './runner-process.js';
import { readWorkerSettings, runnerEnvironment, type WorkerSettings } from './settings.js';
import type { StopSignals } from './signals.js';
import { stopRunner } from './stop-runner.js';

/** The part of its process that the program uses. */
export interface JobHost {
  env: NodeJS.ProcessEnv;
  clock: Clock;
  signals: StopSignals;
  startRunner: typeof startRunner;
  isDockerReady: typeof isDockerReady;
  /** Stores the report for the controller; throws when it cannot. */
  report: (report: WorkerReport) => void;
  /** Writes a line to the log. */
  log: (line: string) => void;
}

/** A signal arrived before the runner could have read its job. */
class StoppedEarly extends Error {}

/** The outcome of a runner. */
interface RunnerOutcome {
  end: ProcessEnd | undefined;
  jobSent: boolean;
  problem?: string | undefined;
}

/**
 * Runs the job of this container, and returns the exit code of the container when no process of the runner is left. The report
 * shows the controller whether the job may have started.
 */
export async function runJob(host: JobHost): Promise<number> {
  try {
    host.report({ jobSent: false });
    const settings = readWorkerSettings(host.env);
    const job = frameChunks(frameTypes.newJobRequest, readPayloadFolder(settings.payloadFolder));
    writeRunnerFile(settings);
    const given = withEnvFile(host.env, settings.runnerHome);
    const trusted = trustAuthorities(settings.caFiles, given);
    try {
      const env = { ...runnerEnvironment(given), ...trusted.env };
      return conclude(host, await runWith(host, settings, env, job));
    } finally {
      trusted.remove();
    }
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error;
    host.log(error.message);
    reportEnd(host, { jobSent: false, problem: error.message });
    return workerExitCodes.misconfigured;
  }
}

async function runWith(
  host: JobHost,
  settings: WorkerSettings,
  env: NodeJS.ProcessEnv,
  job: Iterable<Buffer>,
): Promise<RunnerOutcome> {
  await waitForDocker({ ...host, env });
  if (host.signals.received !== undefined) return { end: undefined, jobSent: false };
  const runner = await host.startRunner(settings.runnerHome, env);
  const channel = new RunnerChannel(runner.input, host.clock, channelTimeoutMs(env));
  let jobSent = false;
  const finished = new AbortController();
  let stopSending: (reason: StoppedEarly) => void = () => undefined;
  const stopped = new Promise<never>((_resolve, reject) => (stopSending = reject));
  try {
    /* A runner that does not read its job does not delay the end of the container. */
    host.signals.onReceived((signal) => {
      if (!jobSent) stopSending(new StoppedEarly());
      else
        stopRunner({ ...host, runner, channel, graceMs: settings.shutdownGraceMs }, signal, finished.signal);
    });
    const sent = channel.send(job, () => {
      if (host.signals.received !== undefined) throw new StoppedEarly();
      host.report({ jobSent: true });
      jobSent = true;
    });
    await Promise.race([sent, stopped]);
    return { end: await runner.ended, jobSent };
  } catch (error) {
    if (error instanceof Misconfigured) throw error;
    const problem = error instanceof StoppedEarly ? undefined : String((error as Error).message);
    return { end: await endSoon(host, runner, error instanceof StoppedEarly), jobSent, problem };
  } finally {
    finished.abort();
    runner.signalGroup('SIGKILL');
  }
}

/**
 * Returns the end of a runner that has not read its job. The pipe most often breaks because the runner crashes, and the exit code of
 * the crash is more useful than the exit code of a kill, so the runner has some time to end by itself.
 */
async function endSoon(
  { clock }: JobHost,
  { ended, signalGroup }: RunnerProcess,
  atOnce: boolean,
): Promise<ProcessEnd | undefined> {
  const within = async (ms: number): Promise<ProcessEnd | undefined> => {
    const settled = new AbortController();
    const late = delay(clock, ms, settled.signal).then(() => undefined);
    return Promise.race([ended, late]).finally(() => settled.abort());
  };
  const own = atOnce ? undefined : await within(workerKillSeconds * 1000);
  if (own) return own;
  signalGroup('SIGKILL');
  await within(workerKillSeconds * 1000);
  return undefined;
}

function conclude(host: JobHost, { end, jobSent, problem }: RunnerOutcome): number {
  const signal = host.signals.received;
  const result = runnerResult(end?.code ?? null);
  const early = end === undefined && problem === undefined && signal !== undefined;
  const sentence = early ? `${signal} was received before the job was sent` : (problem ?? crash(end, signal));
  if (sentence !== undefined) host.log(sentence);
  reportEnd(host, { jobSent, exitCode: end?.code ?? undefined, result, problem: sentence });
  if (early) return signalExitCode(signal);
  return end === undefined ? workerExitCodes.crashed : containerExitCode(end);
}

function crash(end: ProcessEnd | undefined, stop: string | undefined): string | undefined {
  if (runnerResult(end?.code ?? null) !== undefined) return undefined;
  const how = end?.signal ? `by ${end.signal}` : `with exit code ${end?.code ?? 'unknown'}`;
  const after = stop === undefined ? '' : ` after ${stop}`;
  return `Runner.Worker ended ${how}${after} without a result of its job`;
}

/** Reports the end. If this report cannot be written, the earlier one remains, which states whether the job was sent. */
function reportEnd(host: JobHost, report: WorkerReport): void {
  try {
    host.report(report);
  } catch (error) {
    const { message } = error as Error;
    /* The report about a report that cannot be written fails in the same way. */
    if (message !== report.problem) host.log(message);
  }
}
