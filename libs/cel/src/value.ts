import { prefixOf } from '@interlock/base';
import { maxSteps } from './budget.js';

/** Longer texts are cut, so that an expression costs little regardless of its author; in characters. */
const maxText = 4096;
/** The steps that all expressions may take together. */
const maxStepsTogether = 3 * maxSteps;
/** The steps that each expression may take, whatever those before it took. */
const minSteps = 1_000;

/**
 * The values of variables for the evaluations of many expressions. They are converted once, at the first evaluation, and bound the
 * work of all evaluations together.
 */
export class CelValues {
  #converted: Readonly<Record<string, unknown>> | undefined;
  #stepsLeft = maxStepsTogether;

  readonly #values: Readonly<Record<string, unknown>>;

  /** @param values values of the variables, as JSON. They must not change. */
  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** The values in the form that CEL uses. */
  get converted(): Readonly<Record<string, unknown>> {
    this.#converted ??= Object.fromEntries(convertedMembers(this.#values));
    return this.#converted;
  }

  /** The steps that the next evaluation may take. */
  get steps(): number {
    return Math.max(minSteps, Math.min(maxSteps, this.#stepsLeft));
  }

  /** Records the steps that an evaluation has taken. */
  spend(steps: number): void {
    this.#stepsLeft -= steps;
  }
}

/**
 * Returns a JSON value in the form that CEL uses: integral numbers are ints, as in the API server, and objects are Maps, because
 * the engine reads all keys of an object for each operation.
 */
function celValue(value: unknown): unknown {
  if (typeof value === 'string') return prefixOf(value, maxText);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(convertedMembers(value));
}

function convertedMembers(object: object): [key: string, value: unknown][] {
  return Object.entries(object).map(([key, member]) => [key, celValue(member)]);
}
