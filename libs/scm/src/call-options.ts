import type { Priority } from './governor/budget.js';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Overrides the default priority of the operation, for a read on which a merge waits. */
  priority?: Priority | undefined;
}
