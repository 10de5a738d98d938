import { TypedError } from '@interlock/api';
import { truncate, type FieldProblem } from '@interlock/base';

const maxValue = 120;
const maxShown = 5;

/** Returns a problem as a sentence. */
export function problemText({ field, value, message }: FieldProblem): string {
  return value === undefined ? `${field}: ${message}` : `${field} ${quoted(value)}: ${message}`;
}

/** Returns text in quotation marks, truncated if it is long; control characters are escaped. */
export function quoted(text: string): string {
  return JSON.stringify(truncate(text, maxValue));
}

/** Returns the error `Invalid` that names all problems (the first ones, when there are many). */
export function problemsError(reason: string, problems: readonly FieldProblem[]): TypedError {
  const shown = problems.slice(0, maxShown).map(problemText);
  const rest = problems.length - shown.length;
  return new TypedError('Invalid', [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; '), {
    reason,
  });
}
