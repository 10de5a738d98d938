import type { Priority } from './governor/budget.js';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Overrides the priority that the operation has by itself, for a read on which a merge waits. */
  priority?: Priority | undefined;
}
