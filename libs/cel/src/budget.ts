/** The steps that one evaluation may take. The limit corresponds to about a tenth of a second of work. */
export const maxSteps = 100_000;
/** Characters of a text that cost one step. */
const charactersPerStep = 64;
/** Entries of a map that cost one step when they are counted. The entries of a list need no counting. */
const keysPerStep = 4;
/** The cost of creating an error, including its position in the source. */
const stepsPerError = 40;

/** An evaluation took more steps than it may: whether the expression holds is not known. */
export class StepLimitError extends Error {}

/**
 * The steps that one evaluation may take. They measure work rather than time, so that equal values give equal results.
 */
export class Budget {
  #max = maxSteps;
  #left = maxSteps;
  #error = new StepLimitError('unused');
  #isExhausted = false;
  #lastError: unknown;

  /** Begins an evaluation that may take `max` steps. */
  begin(max: number): void {
    this.#max = max;
    this.#left = max;
    this.#isExhausted = false;
  }

  /** The steps that the evaluation has taken, at most those that it may take. */
  get taken(): number {
    return this.#max - Math.max(0, this.#left);
  }

  /**
   * Spends steps.
   *
   * @throws StepLimitError when fewer steps are left
   */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    /* The engine continues after an error in `all` and `exists`; one error object serves all of these. */
    if (!this.#isExhausted) this.#error = new StepLimitError(tooMany(this.#max));
    this.#isExhausted = true;
    throw this.#error;
  }

  /** Spends the cost of reading a value in full. */
  spendOn(value: unknown): void {
    this.spend(1);
    if (typeof value === 'string') this.spend(Math.floor(value.length / charactersPerStep));
    else if (Array.isArray(value)) for (const item of value) this.spendOn(item);
    else if (typeof value === 'object' && value !== null) {
      for (const member of value instanceof Map ? value.values() : Object.values(value)) this.spendOn(member);
    }
  }

  /** Spends the cost of counting the parts of a value. */
  spendOnSize(value: unknown): void {
    this.spend(1);
    if (typeof value === 'string') this.spend(Math.floor(value.length / charactersPerStep));
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      this.spend(Math.floor((value instanceof Map ? value.size : Object.keys(value).length) / keysPerStep));
  }

  /**
   * Spends the cost of an error, once while it propagates. The engine creates one for each item that `all` and `exists`
   * skip.
   */
  spendOnError(error: unknown): void {
    if (error === this.#error || error === this.#lastError) return;
    this.#lastError = error;
    this.spend(stepsPerError);
  }

  /**
   * Ends an evaluation.
   *
   * @throws StepLimitError when the evaluation took too many steps, even if the engine absorbed that error
   */
  end(): void {
    if (this.#isExhausted) throw this.#error;
  }
}

function tooMany(max: number): string {
  const text = `it takes more than ${max} steps`;
  return max === maxSteps ? text : `${text}, which the expressions before it have left`;
}
