import { TypedError, type EventResponse } from '@interlock/api';
import { isProblem, type OrProblem } from '@interlock/base';
import type {
  ChangePlan,
  Delivery,
  DocumentLocation,
  FileState,
  Guards,
  OfflinePlan,
  Operation,
} from '@interlock/responding';
import { Sandbox } from '@interlock/service';
import type { ThreadAnswer } from './isolated.js';
import type * as planningModule from './planning.worker.js';
import { source } from './planning.worker.js';

/** A usual change takes a few ms. A file of a megabyte, the default of limits.maxBytes, needs up to 192 MiB. */
const limits = { workers: 2, timeMs: 10_000, memoryMb: 192 };

/**
 * Plans changes of repositories in separate threads. Tenants write the responses and the files, and to parse and edit them may
 * take much longer than the lease of the leader lasts, or need much memory.
 */
export class Planner {
  readonly #sandbox: Sandbox<typeof planningModule>;

  /**
   * Creates a planner.
   *
   * @param options.timeMs time limit for one step. Default: 10,000.
   */
  constructor({ timeMs = limits.timeMs }: { timeMs?: number } = {}) {
    this.#sandbox = new Sandbox(source, { ...limits, timeMs });
  }

  /**
   * Returns the requested change of a response.
   *
   * @param tenant as for {@link plan}.
   * @throws TypedError of `operationsOf`; `Transient` when it exceeds the limits.
   */
  async operations(tenant: string, response: EventResponse): Promise<Operation[]> {
    const answer = await this.#sandbox.call(tenant, 'operationsInThread', [response]);
    return valueOf(answer, 'the requested change cannot be read', 'create several responses');
  }

  /**
   * Returns the plan of a change.
   *
   * @param tenant the repository. Its changes do not delay those of other repositories.
   * @throws TypedError of `planChange`; `Transient` when it exceeds the limits.
   */
  async plan(
    tenant: string,
    operations: readonly Operation[],
    files: ReadonlyMap<string, FileState>,
    guards: Guards,
  ): Promise<ChangePlan> {
    return planOf(await this.#sandbox.call(tenant, 'planInThread', [operations, files, guards]));
  }

  /**
   * Returns the plan of a change of files that are not read.
   *
   * @param tenant as for {@link plan}.
   * @throws TypedError of `planOffline`; `Transient` when it exceeds the limits.
   */
  async planOffline(tenant: string, operations: readonly Operation[], guards: Guards): Promise<OfflinePlan> {
    return planOf(await this.#sandbox.call(tenant, 'planOfflineInThread', [operations, guards]));
  }

  /**
   * Returns the place of a document.
   *
   * @param tenant as for {@link plan}.
   * @throws TypedError of `locateDocument`; `Transient` when it exceeds the limits.
   */
  async locate(
    tenant: string,
    delivery: Delivery,
    files: ReadonlyMap<string, string>,
  ): Promise<DocumentLocation> {
    const answer = await this.#sandbox.call(tenant, 'locateInThread', [delivery, files]);
    return valueOf(
      answer,
      'the file of the subject cannot be searched for',
      'name its path in the operation',
    );
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#sandbox.close();
  }
}

function planOf<T>(answer: OrProblem<ThreadAnswer<T>>): T {
  const fix = 'split the files, or write whole files with file.write';
  return valueOf(answer, 'the change cannot be planned', fix);
}

function valueOf<T>(answer: OrProblem<ThreadAnswer<T>>, what: string, fix: string): T {
  if (isProblem(answer))
    throw new TypedError('Transient', `${what}: ${answer.message}; ${fix}`, { reason: answer.reason });
  if ('value' in answer) return answer.value;
  const { message, reason } = answer.refusal;
  throw new TypedError('Invalid', message, { reason });
}
