import * as z from 'zod';
import { withRules } from '../schema/define.js';

/** A duration in the format of metav1.Duration: `5m0s`, `1h30m`, `1.5h`, `100ms`. A zero needs a unit as well. */
const goDuration = '^([0-9]{1,9}([.][0-9]{1,9})?(h|m|s|ms|us|µs|ns)){1,6}$';

/** The longest duration that a RunnerGroup accepts. Timers of Node.js are limited to 596 hours. */
const longest = '168h';

/** Returns the schema of a duration of at least `shortest` and at most a week. */
export function boundedDuration(
  field: string,
  shortest: '0s' | '1s',
  fallback: string,
  description: string,
): z.ZodDefault<z.ZodString> {
  const schema = z.string().max(32).default(fallback).describe(description);
  const inRange = `self.matches('${goDuration}') && duration(self) >= duration('${shortest}') && duration(self) <= duration('${longest}')`;
  return withRules(schema, [
    {
      rule: shortest === '0s' ? `self == '0' || ${inRange}` : inRange,
      message: `${field} must be a duration from ${shortest} to ${longest}; write it as ${fallback} or 1h30m`,
    },
  ]);
}
