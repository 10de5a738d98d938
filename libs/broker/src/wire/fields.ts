/** Reads the fields of a JSON object by name, ignoring case, because services and files write the names differently. */
export class Fields {
  readonly #object: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    this.#object = isJsonObject(value) ? value : {};
  }

  /** Returns the value of the first of the names that has one. */
  value(...names: string[]): unknown {
    for (const name of names) {
      const found = Object.hasOwn(this.#object, name) ? this.#object[name] : this.#find(name);
      if (found !== undefined && found !== null) return found;
    }
    return undefined;
  }

  /** Returns the value of the last field whose name differs only in case. */
  #find(name: string): unknown {
    const wanted = name.toLowerCase();
    let found: unknown;
    for (const key of Object.keys(this.#object)) {
      if (key.length === name.length && key.toLowerCase() === wanted) found = this.#object[key];
    }
    return found;
  }

  /** Returns a text; undefined for an empty one. Numbers become their digits. */
  text(...names: string[]): string | undefined {
    const found = this.value(...names);
    if (typeof found === 'number' || typeof found === 'bigint') return String(found);
    return typeof found === 'string' && found !== '' ? found : undefined;
  }

  /** Returns an id as decimal text; ids may be negative, and beyond 2^53. */
  id(...names: string[]): string | undefined {
    const found = this.text(...names)?.trim();
    return found !== undefined && /^-?\d{1,20}$/.test(found) ? found : undefined;
  }

  /** Returns a boolean, written natively or as text. */
  flag(...names: string[]): boolean | undefined {
    const found = this.value(...names);
    if (typeof found === 'boolean') return found;
    if (typeof found !== 'string') return undefined;
    const word = found.trim().toLowerCase();
    return word === 'true' ? true : word === 'false' ? false : undefined;
  }

  /** Returns a number, written natively or as text. */
  number(...names: string[]): number | undefined {
    const found = this.value(...names);
    const value = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  }

  /** Returns a number that counts from 1. */
  ordinal(...names: string[]): number | undefined {
    const value = this.number(...names) ?? 0;
    return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
  }

  /** Returns the fields of an object; none if the field is not an object. */
  fields(...names: string[]): Fields {
    return new Fields(this.value(...names));
  }

  /** Returns the items of a list; none if the field is not a list. */
  list(...names: string[]): readonly unknown[] {
    const found = this.value(...names);
    return Array.isArray(found) ? found : [];
  }
}

/** Returns whether a value of a JSON text is an object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
