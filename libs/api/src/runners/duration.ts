import { z } from 'zod';
import { withRules } from '../schema/define.js';

/** A duration as metav1.Duration prints and parses it: `5m0s`, `1h30m`, `1.5h`, `100ms`, `0`. */
const goDuration = '^(0|([0-9]{1,9}([.][0-9]{1,9})?(h|m|s|ms|us|µs|ns)){1,6})$';

/** The longest duration that a RunnerGroup takes. A timer of Node.js reaches 596 hours. */
const longest = '168h';

/** Returns the schema of a duration of at least `shortest`, such as `1s`, and at most a week. */
export function boundedDuration(field: string, shortest: string, fallback: string, description: string) {
  const schema = z.string().max(32).default(fallback).describe(description);
  return withRules(schema, [
    {
      rule: `self.matches('${goDuration}') && duration(self) >= duration('${shortest}') && duration(self) <= duration('${longest}')`,
      message: `${field} must be a duration from ${shortest} to ${longest}; write it as ${fallback} or 1h30m`,
    },
  ]);
}
