import { TypedError } from '@interlock/api';

/** What is wrong with something that a person wrote. */
export interface Problem {
  /** Where: the name of a parameter, or a path such as `spec.routes[0].match.expr`. */
  field: string;
  /** The offending value, as written; absent when nothing is there. */
  value?: string;
  /** What is wrong, and what to write instead. */
  fix: string;
}

const maxValue = 120;
const maxShown = 5;

/** @returns a problem as a sentence. */
export function problemText({ field, value, fix }: Problem): string {
  return value === undefined ? `${field}: ${fix}` : `${field} ${quoted(value)}: ${fix}`;
}

/** @returns text in quotation marks, cut where it is long; control characters are escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > maxValue ? `${text.slice(0, maxValue)}…` : text);
}

/** @returns the error `Invalid` that says all problems (the first ones, when there are many). */
export function problemsError(reason: string, problems: readonly Problem[]): TypedError {
  const shown = problems.slice(0, maxShown).map(problemText);
  const rest = problems.length - shown.length;
  return new TypedError('Invalid', [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; '), {
    reason,
  });
}
