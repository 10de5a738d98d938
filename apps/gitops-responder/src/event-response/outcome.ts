import type { AttemptResult } from './observed.js';
import { gateClosed } from './gate-hold.js';
import { failureOf } from './retry.js';

/** Returns the outcome of an attempt as a label for metrics and traces. */
export function outcomeOf(result: AttemptResult): string {
  switch (result.type) {
    case 'submitted':
      return result.recorded === true ? 'recorded' : 'submitted';
    case 'nothingToChange':
      return 'no_action_needed';
    case 'settled':
      return result.request.state;
    case 'foreignCommits':
      return 'conflicting';
    case 'failed':
      return failureOf(result.error).error.type.toLowerCase();
    case 'held':
      return result.hold.reason === gateClosed ? 'planned' : 'duplicate';
    case 'planned':
    case 'absent':
      return result.type;
  }
}
