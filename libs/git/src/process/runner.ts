import { isTyped, TypedError } from '@interlock/api';
import { findProgram, type SpawnedProcess } from '@interlock/process';
import {
  defaultMaxMirrorBytes,
  defaultMaxProcessBytes,
  defaultPreemptAfterMs,
  defaultTimeouts,
  type GitOptions,
  type GitTimeouts,
} from '../options.js';
import type { Transport } from '../names.js';
import { gitEnvironment, secretsOf, type RemoteAccess, type Setting } from './environment.js';
import { FairLimit } from './fair-limit.js';
import { gitFailure, memoryExceeded } from './failure.js';
import { defaultMaxProcesses, shareMemory } from './memory-share.js';
import { gitMetrics, outcomeOf, type GitMetrics } from './metrics.js';
import { PreemptiveLimit } from './preemptive-limit.js';
import { limiterOf, notStarted, type Limiter } from './resources.js';
import { programMissing, run, start, type CommandResult } from './run.js';

export interface GitCommand {
  /** The first is git's subcommand. */
  args: readonly [string, ...string[]];
  /** The owner for fair scheduling. */
  owner: string;
  gitDir?: string;
  /** Present when the process may connect to the remote. */
  remote?: RemoteAccess;
  /** The timeout to use. Default: `local`. */
  timeout?: keyof GitTimeouts;
  input?: string | Buffer;
  /** Added to this process only. */
  env?: Readonly<Record<string, string>>;
  settings?: readonly Setting[];
  /** Exit codes that are results, not failures. Default: `[0]`. */
  accept?: readonly number[];
  maxOutputBytes?: number;
  signal?: AbortSignal | undefined;
  /** Called before a process is repeated that was stopped because another one needed its place: it may have left files behind. */
  onRepeat?: () => void;
}

const defaultMaxOutputBytes = 64 * 1024 * 1024;
/* Small repositories need no more; commands that need more are repeated with the defaults. */
const frugal: readonly Setting[] = [
  ['core.deltaBaseCacheLimit', '4m'],
  ['pack.windowMemory', '8m'],
  ['pack.deltaCacheSize', '4m'],
];

/** The limits and settings of a process. */
interface Lane {
  limiter: Limiter;
  settings: readonly Setting[];
}

/**
 * Starts every git process in a clean environment and with limits, counts it, and converts its failures to typed
 * errors. A process that needs more than the usual memory is repeated with more, one at a time, so that the memory of
 * all processes together is bounded.
 */
export class Runner {
  readonly transports: readonly Transport[];
  readonly #program: string;
  readonly #usual: Lane & { limit: PreemptiveLimit };
  readonly #largest: Lane & { limit: FairLimit };
  readonly #readers: Lane;
  readonly timeouts: Readonly<GitTimeouts>;
  readonly #metrics: GitMetrics;
  readonly #closing = new AbortController();
  /** Aborts when it is closed. */
  readonly closed: AbortSignal = this.#closing.signal;

  readonly #options: GitOptions;

  constructor(options: GitOptions) {
    this.#options = options;

    this.#program = located(options.gitPath ?? 'git');
    this.transports = options.transports ?? ['https'];
    this.timeouts = { ...defaultTimeouts, ...options.timeoutsMs };
    this.#metrics = gitMetrics(options.metrics);
    const maxProcesses = options.maxProcesses ?? defaultMaxProcesses;
    const memory = shareMemory(options.maxProcessBytes ?? defaultMaxProcessBytes);
    const fileSize = options.maxMirrorBytes ?? defaultMaxMirrorBytes;
    this.#usual = {
      limit: new PreemptiveLimit(maxProcesses, options.preemptAfterMs ?? defaultPreemptAfterMs),
      limiter: limiterOf({ memory: memory.usual, fileSize }),
      settings: frugal,
    };
    this.#largest = {
      limit: new FairLimit(1),
      limiter: limiterOf({ memory: memory.largest, fileSize }),
      settings: [],
    };
    this.#readers = { limiter: limiterOf({ memory: memory.reader, fileSize }), settings: frugal };
    if (!this.#usual.limiter.isEffective)
      options.log?.warn({}, 'the program prlimit was not found; git processes run without limits');
  }

  /** Whether the processes receive additional variables. */
  get hasOwnVariables(): boolean {
    return Object.keys(this.#options.env ?? {}).length > 0;
  }

  /**
   * Returns the result of a git process. @throws TypedError that depends on the message of git; the signal's reason
   * after an abort.
   */
  async run(command: GitCommand): Promise<CommandResult> {
    const signals = command.signal ? [command.signal, this.closed] : [this.closed];
    const signal = AbortSignal.any(signals);
    try {
      return await this.#runAsUsual(command, signal);
    } catch (error) {
      if (!isTyped(error) || error.reason !== memoryExceeded) throw error;
      return this.#largest.limit.run(
        command.owner,
        () => this.#runNow(this.#largest, command, signal),
        signal,
      );
    }
  }

  /* How long a process with a remote takes is up to the remote. A push that is repeated finds the reference as it should be. */
  #runAsUsual(command: GitCommand, signal: AbortSignal): Promise<CommandResult> {
    const { limit } = this.#usual;
    let hasRun = false;
    const run = (stop: AbortSignal) => {
      if (hasRun) command.onRepeat?.();
      hasRun = true;
      return this.#runNow(this.#usual, command, stop);
    };
    return command.remote === undefined
      ? limit.run(command.owner, () => run(signal), signal)
      : limit.runPreemptible(command.owner, run, signal);
  }

  async #runNow(lane: Lane, command: GitCommand, signal: AbortSignal): Promise<CommandResult> {
    const [operation] = command.args;
    const began = performance.now();
    let outcome = 'success';
    this.#metrics.started(operation);
    try {
      const result = await run({
        ...lane.limiter.wrap(this.#program, command.args),
        operation,
        environment: this.#environment(command, lane),
        input: command.input,
        signal,
        timeoutMs: this.timeouts[command.timeout ?? 'local'],
        maxOutputBytes: command.maxOutputBytes ?? defaultMaxOutputBytes,
      });
      if ((command.accept ?? [0]).includes(result.code)) return result;
      if (result.stderr.startsWith(notStarted)) throw programMissing(this.#program);
      const said = `${result.stdout.subarray(0, 4096).toString('utf8')}\n${result.stderr}`;
      throw gitFailure(
        operation,
        result.stderr.trim() === '' || operation === 'push' ? said : result.stderr,
        secretsOf(command.remote?.credentials),
      );
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      this.#metrics.observe(operation, outcome, performance.now() - began);
    }
  }

  /** Starts a long-lived process without access to the remote. */
  launch(gitDir: string, args: readonly [string, ...string[]]): SpawnedProcess {
    this.closed.throwIfAborted();
    this.#metrics.started(args[0]);
    this.#metrics.count(args[0], 'success');
    const limited = this.#readers.limiter.wrap(this.#program, args);
    return start({ ...limited, environment: this.#environment({ gitDir }, this.#readers) });
  }

  /** Ends all processes; later starts fail. */
  close(): void {
    this.#closing.abort(new TypedError('Transient', 'git is closed', { reason: 'GitClosed' }));
  }

  #environment(
    command: Pick<GitCommand, 'gitDir' | 'remote' | 'settings' | 'env'>,
    lane: Lane,
  ): Record<string, string> {
    return gitEnvironment({
      parent: process.env,
      home: this.#options.cacheDir,
      // The transports of a mirror are fixed when it is created; a response of a remote cannot refer to a folder.
      transports: command.remote?.url.startsWith('file:') === true ? ['file'] : this.transports,
      gitDir: command.gitDir,
      remote: command.remote,
      settings: [...lane.settings, ...(command.settings ?? [])],
      extra: { ...this.#options.env, ...command.env },
    });
  }
}

/** Resolves the name of a program to a path, so that it is not searched for at every start. */
function located(program: string): string {
  return program.includes('/') ? program : (findProgram(program) ?? program);
}
