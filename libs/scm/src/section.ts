import { TypedError } from '@interlock/api';

/** Reads a section of a spec that the API server has admitted, but whose fields are untyped. */
export class Section {
  readonly #fields: ReadonlyMap<string, unknown>;

  /** @param path names the section in errors, such as `spec.github`. */
  constructor(
    value: unknown,
    readonly path: string,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new TypedError('Invalid', `${path} must be an object`);
    }
    this.#fields = new Map(Object.entries(value));
  }

  /** @throws TypedError `Invalid` when present and not a non-empty string. */
  optionalString(field: string): string | undefined {
    const value = this.#fields.get(field);
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    throw new TypedError('Invalid', `${this.path}.${field} must be a non-empty string`);
  }

  /** @throws TypedError `Invalid` when absent, or not a non-empty string. */
  string(field: string): string {
    const value = this.optionalString(field);
    if (value === undefined) throw new TypedError('Invalid', `${this.path}.${field} is missing`);
    return value;
  }

  /** Returns one part of a path, such as the owner of a repository. @throws TypedError `Invalid` as {@link string}, and for `.` and `..`. */
  pathPart(field: string): string {
    const value = this.string(field);
    if (value !== '.' && value !== '..') return value;
    throw new TypedError('Invalid', `${this.path}.${field} must be a name, not ${JSON.stringify(value)}`);
  }

  /** @throws TypedError `Invalid` when present and not a positive whole number. */
  optionalId(field: string): number | undefined {
    const value = this.#fields.get(field);
    if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value > 0)) {
      return value;
    }
    throw new TypedError('Invalid', `${this.path}.${field} must be a positive whole number`);
  }
}
