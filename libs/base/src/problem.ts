/**
 * Why a value is not known or not acceptable: what a function returns in place of the value, see {@link OrProblem}. An error is
 * thrown; a problem is shown, as a condition or as a line of a report.
 */
export class Problem {
  /** Whether it can be over although nobody changes the spec. */
  readonly transient: boolean;
  /** Milliseconds after which to check again, where no event reports that it is over. */
  readonly retryAfterMs: number | undefined;
  /** The error that it was read from. */
  readonly cause: unknown;

  /**
   * @param reason one CamelCase word, for programs.
   * @param message names the field or object, and the fix.
   * @param options `transient` defaults to true.
   */
  constructor(
    readonly reason: string,
    readonly message: string,
    options: { transient?: boolean | undefined; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    this.transient = options.transient ?? true;
    this.retryAfterMs = options.retryAfterMs;
    this.cause = options.cause;
  }
}

/** A value, or why there is none. The class discriminates, so the value may be of any type: a text, a list, an object. */
export type OrProblem<T> = T | Problem;

/** Returns whether there is a problem in place of the value. */
export function isProblem(value: unknown): value is Problem {
  return value instanceof Problem;
}

/** What is wrong with a field of something that a user wrote. */
export interface FieldProblem {
  /** Where: the name of a parameter, or a path such as `spec.routes[0].match.expr`. */
  field: string;
  /** The offending value, as written; absent when there is none. */
  value?: string | undefined;
  /** A sentence: what is wrong, and what to write instead. */
  message: string;
}
