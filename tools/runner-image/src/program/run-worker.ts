import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { FrameReader } from './frame-reader.js';
import { exitCodes, parseJob, type Job } from './job.js';
import { RunService } from './run-service.js';

const newJobRequest = 1;
const jobWaitMs = 30_000;
const cleanUpMs = 50;
const never = 2 ** 31 - 1;
/** The exit code of .NET after an unhandled exception. */
const crash = 134;

/** The settings of the simulated runner. */
interface WorkerStart {
  /** Root folder of the runner. */
  root: string;
  input: Readable;
  fault: string | undefined;
}

/** Runs one job like GitHub's Runner.Worker, as far as other programs can observe, and returns its exit code. */
export async function runWorker({ root, input, fault }: WorkerStart): Promise<number> {
  if (fault === 'crashBeforeJob') return crash;
  if (fault === 'hangBeforeJob') return hang();
  const { agentName } = readRunnerFile(root);
  const frames = new FrameReader(input);
  const first = await frames.next(AbortSignal.timeout(jobWaitMs));
  if (first === undefined) throw new Error('no job message came within 30 s');
  if (first.type !== newJobRequest) throw new Error(`the first frame has the type ${first.type}, not 1`);
  const job = parseJob(first.body);
  return run(job, frames, agentName, fault ?? job.fault);
}

async function run(
  job: Job,
  frames: FrameReader,
  agentName: string,
  fault: string | undefined,
): Promise<number> {
  if (fault === 'crashAfterJob') return crash;
  const service = new RunService(job);
  await service.started(randomUUID());
  process.stdout.write(`Runner name: '${agentName}'\n##[group]Run interlock/test\nJob ${job.jobId} runs\n`);
  if (fault === 'hang') return hang();
  const result = await resultOf(job, frames, fault === 'ignoreCancel');
  process.stdout.write(`##[endgroup]\nJob completed with result: ${result}\n`);
  if (fault !== 'noCompletion') await service.complete(result);
  return exitCodes[result] ?? crash;
}

/** Returns the result of the job, which runs until its duration has elapsed or a frame of another type than a job cancels it. */
async function resultOf({ durationMs, result }: Job, frames: FrameReader, ignores: boolean): Promise<string> {
  const finished = new AbortController();
  const over = setTimeout(durationMs, result);
  const cancelled = frames.next(finished.signal).then(async (frame) => {
    if (frame?.type === newJobRequest) throw new Error(`a later frame has the type ${frame.type}`);
    if (frame === undefined || ignores) return over;
    process.stdout.write(`##[error]The operation was canceled (frame ${frame.type}).\n`);
    await setTimeout(cleanUpMs);
    return 'canceled';
  });
  try {
    return await Promise.race([over, cancelled]);
  } finally {
    finished.abort();
  }
}

function readRunnerFile(root: string): { agentName: string } {
  const text = readFileSync(join(root, '.runner'), 'utf8').replace(/^\uFEFF/, '');
  const settings = Object.entries(JSON.parse(text) as Record<string, unknown>);
  /* Newtonsoft.Json ignores the case of the names of fields. */
  const field = (name: string): string => {
    const value = settings.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
    if (typeof value === 'string' && value !== '') return value;
    throw new Error(`.runner has no ${name}`);
  };
  field('workFolder');
  return { agentName: field('agentName') };
}

async function hang(): Promise<number> {
  process.on('SIGTERM', () => undefined);
  await setTimeout(never);
  return crash;
}
