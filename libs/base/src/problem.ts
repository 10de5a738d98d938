/**
 * Describes why a value is unknown or unacceptable. A function returns it in place of the value, see {@link OrProblem}.
 * An error is thrown; a problem is shown as a condition or as a line of a report.
 */
export class Problem {
  /** Whether it can be resolved without a change of the spec. */
  readonly transient: boolean;
  /** Milliseconds after which to check again, if no event reports that it is resolved. */
  readonly retryAfterMs: number | undefined;
  /** The error that caused it. */
  readonly cause: unknown;

  /**
   * @param reason one CamelCase word, for programs
   * @param message names the field or object, and the fix
   * @param options `transient` defaults to true
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

/**
 * A value, or the problem that replaces it. The class discriminates, so the value may be of any type: a text, a list,
 * an object.
 */
export type OrProblem<T> = T | Problem;

/** Returns whether the argument is a problem rather than a value. */
export function isProblem(value: unknown): value is Problem {
  return value instanceof Problem;
}

/** A problem with a field that a user wrote. */
export interface FieldProblem {
  /** The location of the problem: the name of a parameter, or a path such as `spec.routes[0].match.expr`. */
  field: string;
  /** The wrong value as written; absent if there is none. */
  value?: string | undefined;
  /** A sentence that states what is wrong, and what to write instead. */
  message: string;
}
