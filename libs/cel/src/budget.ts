/** About a tenth of a second of work. */
const maxSteps = 100_000;
/** Characters of a text that cost one step. */
const charactersPerStep = 64;
/** Entries of a map that cost one step when they are counted; those of a list need no counting. */
const keysPerStep = 4;
/** What an error takes to make, with its place in the source. */
const stepsPerError = 40;

/** The steps that one evaluation may take. Steps count work, not time, so that the same values give the same result. */
export class Budget {
  #left = maxSteps;
  #error = new Error('unused');
  #isExhausted = false;
  #lastError: unknown;

  /** Begins an evaluation. */
  begin(): void {
    this.#left = maxSteps;
    this.#isExhausted = false;
  }

  /** @throws Error when fewer steps are left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    /* The engine goes on after an error in `all` and `exists`; one object serves all these. */
    if (!this.#isExhausted) this.#error = new Error(`it takes more than ${maxSteps} steps`);
    this.#isExhausted = true;
    throw this.#error;
  }

  /** Spends what reading a value in full takes. */
  spendOn(value: unknown): void {
    this.spend(1);
    if (typeof value === 'string') this.spend(Math.floor(value.length / charactersPerStep));
    else if (Array.isArray(value)) for (const item of value) this.spendOn(item);
    else if (typeof value === 'object' && value !== null) {
      for (const member of value instanceof Map ? value.values() : Object.values(value)) this.spendOn(member);
    }
  }

  /** Spends what counting the parts of a value takes. */
  spendOnSize(value: unknown): void {
    this.spend(1);
    if (typeof value === 'string') this.spend(Math.floor(value.length / charactersPerStep));
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      this.spend(Math.floor(Object.keys(value).length / keysPerStep));
  }

  /** Spends what an error took, once on its way up. The engine makes one for each item that `all` and `exists` pass over. */
  spendOnError(error: unknown): void {
    if (error === this.#error || error === this.#lastError) return;
    this.#lastError = error;
    this.spend(stepsPerError);
  }

  /** @throws Error when the evaluation took too many steps, also where the engine absorbed that error. */
  end(): void {
    if (this.#isExhausted) throw this.#error;
  }
}
