import type { Cause } from './types.js';

/**
 * The result of checking a value against a schema. `matches` counts the checks that passed: among the alternatives of
 * `anyOf` and `oneOf` the errors of the alternative with the most matches are reported, as kube-openapi does.
 */
export class CheckResult {
  readonly causes: Cause[] = [];
  matches = 0;

  get valid(): boolean {
    return this.causes.length === 0;
  }

  /** Adds causes without duplicates. */
  add(...causes: readonly Cause[]): void {
    for (const cause of causes) {
      if (!this.causes.some((known) => known.field === cause.field && known.message === cause.message)) {
        this.causes.push(cause);
      }
    }
  }

  merge(other: CheckResult): void {
    this.add(...other.causes);
    this.matches += other.matches;
  }
}
