import { isTyped, type EventResponse } from '@interlock/api';
import {
  locateDocument,
  operationsOf,
  planChange,
  planOffline,
  type ChangePlan,
  type Delivery,
  type DocumentLocation,
  type FileState,
  type Guards,
  type OfflinePlan,
  type Operation,
} from '@interlock/responding';

/** The result of work in a thread. An error loses its type when it is copied, so a refusal is returned as data. */
export type ThreadAnswer<T> = { value: T } | { refusal: { message: string; reason: string } };

/** Returns the result of {@link operationsOf}. */
export function operationsInThread(response: EventResponse): ThreadAnswer<Operation[]> {
  return answerOf(() => operationsOf(response));
}

/** Returns the result of {@link planChange} for files by their paths. */
export function planInThread(
  operations: readonly Operation[],
  files: ReadonlyMap<string, FileState>,
  guards: Guards,
): ThreadAnswer<ChangePlan> {
  return answerOf(() => planChange(operations, (path) => files.get(path), guards));
}

/** Returns the result of {@link planOffline}. */
export function planOfflineInThread(
  operations: readonly Operation[],
  guards: Guards,
): ThreadAnswer<OfflinePlan> {
  return answerOf(() => planOffline(operations, guards));
}

/** Returns the result of {@link locateDocument}. */
export function locateInThread(
  delivery: Delivery,
  files: ReadonlyMap<string, string>,
): ThreadAnswer<DocumentLocation> {
  return answerOf(() => locateDocument(delivery, files));
}

function answerOf<T>(work: () => T): ThreadAnswer<T> {
  try {
    return { value: work() };
  } catch (error) {
    if (!isTyped(error, 'Invalid')) throw error;
    const { message, reason } = error;
    return { refusal: { message, reason } };
  }
}
