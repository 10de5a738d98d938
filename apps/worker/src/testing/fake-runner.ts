import { EventEmitter } from 'node:events';
import { FakeClock } from '@interlock/base/testing';
import type { WorkerReport } from '@interlock/api/worker-report';
import type { ProcessEnd } from '../exit-code.js';
import type { JobHost } from '../run-job.js';
import { StopSignals } from '../signals.js';
import { decodeFrames } from './decode-frames.js';
import { KeptPipe } from './streams.js';

/** A job for which a test simulates the runner and the kubelet. */
export class JobFixture {
  readonly clock = new FakeClock();
  readonly input = new KeptPipe();
  readonly reports: WorkerReport[] = [];
  readonly lines: string[] = [];
  readonly groupSignals: NodeJS.Signals[] = [];
  readonly kubelet = new EventEmitter();
  starts = 0;
  /** The number of times that the Docker daemon was called, and whether it answers. */
  dockerCalls = 0;
  isDockerReady = false;
  /** The environment of the runner. */
  environment: NodeJS.ProcessEnv = {};
  #end: (end: ProcessEnd) => void = () => undefined;
  readonly #env: NodeJS.ProcessEnv;

  /** @param folder that has the files of `payload` and `home` */
  constructor(folder: string, env: NodeJS.ProcessEnv = {}) {
    this.#env = {
      RUNNER_NAME: 'runner-1',
      PAYLOAD_SECRET_PATH: `${folder}/payload`,
      RUNNER_HOME_DIR: `${folder}/home`,
      ...env,
    };
  }

  /** Returns the host with which the program runs. */
  host(changes: Partial<JobHost> = {}, input: NodeJS.WritableStream = this.input): JobHost {
    return {
      env: this.#env,
      clock: this.clock,
      signals: new StopSignals(this.kubelet),
      startRunner: async (_home, env) => {
        this.starts += 1;
        this.environment = env;
        const ended = new Promise<ProcessEnd>((resolve) => (this.#end = resolve));
        return {
          input: input as KeptPipe,
          ended,
          signalGroup: (signal) => {
            this.groupSignals.push(signal);
            if (signal === 'SIGKILL') this.#end({ code: null, signal });
          },
        };
      },
      isDockerReady: async () => {
        this.dockerCalls += 1;
        return this.isDockerReady;
      },
      report: (report) => void this.reports.push(report),
      log: (line) => void this.lines.push(line),
      ...changes,
    };
  }

  /** Ends the runner. */
  end(end: Partial<ProcessEnd>): void {
    this.#end({ code: null, signal: null, ...end });
  }

  /** Types of the frames that the runner has received. */
  get frames(): number[] {
    return decodeFrames(this.input.bytes).map(({ type }) => type);
  }
}
