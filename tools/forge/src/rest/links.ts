/** The URLs in the responses of a REST API. */
export abstract class RestLinks {
  /** Path of the API, such as `/api/v3`. */
  abstract readonly prefix: string;

  /** @param origin of the forge, known only once it listens. */
  constructor(readonly origin: () => string) {}

  /** For users. */
  get html(): string {
    return this.origin();
  }

  /** For programs. */
  get api(): string {
    return `${this.html}${this.prefix}`;
  }
}
