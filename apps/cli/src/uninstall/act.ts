import { fieldManagers, isTyped, keyOf, messageOf } from '@interlock/api';
import { releaseConfiguration } from '@interlock/gating';
import type { Session } from '../session.js';
import type { Plan, Step } from './decide.js';

export type Result =
  | { outcome: 'done' }
  /** The object no longer exists. */
  | { outcome: 'gone' }
  | { outcome: 'failed' | 'skipped'; message: string };

interface ActOptions {
  /** Whether the API server only checks the changes and does not store them. */
  dryRun: boolean;
  /** Called after each step. */
  onResult(step: Step, result: Result): void;
}

type Connection = Pick<Session, 'client' | 'signal'>;

/** Number of steps of one action that run concurrently. */
const concurrency = 8;

/**
 * Carries out the steps of a plan in order. A failed step stops only the steps that depend on it.
 *
 * @throws the reason of the signal when it aborts
 */
export async function act(connection: Connection, { steps }: Plan, options: ActOptions): Promise<void> {
  const failed = new Set<string>();
  const runStep = async (step: Step): Promise<void> => {
    const cause = step.after.find((id) => failed.has(id));
    const result: Result =
      cause === undefined
        ? await attempt(connection, step, options)
        : { outcome: 'skipped', message: `not done because another step failed: ${cause}` };
    if ('message' in result) failed.add(step.id);
    options.onResult(step, result);
  };
  for (const batch of batchesOf(steps)) {
    connection.signal.throwIfAborted();
    await Promise.all(batch.map(runStep));
  }
}

/**
 * Returns the steps in batches, in the order of the plan. The steps of a batch are of one action and one kind, so they do not
 * depend on each other.
 */
function batchesOf(steps: readonly Step[]): Step[][] {
  const batches: Step[][] = [];
  for (const step of steps) {
    const batch = batches.at(-1);
    const [first] = batch ?? [];
    const fits = first?.action === step.action && first.kind === step.kind;
    if (batch !== undefined && fits && batch.length < concurrency) batch.push(step);
    else batches.push([step]);
  }
  return batches;
}

async function attempt(connection: Connection, step: Step, { dryRun }: ActOptions): Promise<Result> {
  try {
    await change(connection, step, dryRun);
    return { outcome: 'done' };
  } catch (error) {
    if (connection.signal.aborted) throw error;
    if (isTyped(error, 'NotFound')) return { outcome: 'gone' };
    const hint = isTyped(error, 'Conflict')
      ? 'it has changed since it was read; run the command again: '
      : '';
    return { outcome: 'failed', message: `${hint}${messageOf(error)}` };
  }
}

/**
 * Applies a step. Every change has a precondition: the object is the one that was read, and its finalizers are unchanged.
 */
async function change({ client, signal }: Connection, step: Step, dryRun: boolean): Promise<void> {
  const { kind, object } = step;
  const options = { signal, dryRun };
  switch (step.action) {
    case 'release':
      await client.apply(kind, releaseConfiguration(object), {
        ...options,
        fieldManager: fieldManagers.gateController,
      });
      return;
    case 'removeFinalizers': {
      const { resourceVersion, finalizers = [] } = object.metadata;
      const rest = finalizers.filter((name) => step.finalizers?.includes(name) !== true);
      const patch = { metadata: { resourceVersion, finalizers: rest } };
      await client.patch(kind, keyOf(object), { type: 'merge', patch }, options);
      return;
    }
    case 'delete': {
      const { uid } = object.metadata;
      await client.delete(kind, keyOf(object), {
        ...options,
        uid,
        propagationPolicy: 'Background',
      });
    }
  }
}
