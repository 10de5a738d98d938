import { dateTime, int64, object, string } from '../../schema/dsl.js';
import type { Schema } from '../../schema/types.js';

/** Returns the schema of a condition, with the fields of all kinds. */
export function condition(): Schema {
  return object({
    type: string('Name of the condition.'),
    status: string('True, False or Unknown.'),
    reason: string('Machine-readable reason of the last change.'),
    message: string('Text about the last change.'),
    lastTransitionTime: dateTime('When the status last changed.'),
    lastUpdateTime: dateTime('When the condition was last written.'),
    lastProbeTime: dateTime('When the condition was last checked.'),
    observedGeneration: int64(),
  });
}
