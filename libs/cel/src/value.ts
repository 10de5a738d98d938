import { prefixOf } from '@interlock/base';

/** Longer texts are cut, so that an expression costs little regardless of its author; in characters. */
const maxText = 4096;

/** The values of variables, which are converted once for the evaluations of many expressions, at the first of them. */
export class CelValues {
  #converted: Readonly<Record<string, unknown>> | undefined;

  readonly #values: Readonly<Record<string, unknown>>;

  /** @param values values of the variables, as JSON. They must not change. */
  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** The values in the form that CEL uses. */
  get converted(): Readonly<Record<string, unknown>> {
    this.#converted ??= convertedMembers(this.#values);
    return this.#converted;
  }
}

/** Returns a JSON value in the form that CEL uses: integral numbers are ints, as in the API server. */
function celValue(value: unknown): unknown {
  if (typeof value === 'string') return prefixOf(value, maxText);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== 'object' || value === null) return value;
  return convertedMembers(value);
}

function convertedMembers(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, celValue(member)]));
}
