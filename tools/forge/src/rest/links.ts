/** The URLs in the responses of a REST API. */
export abstract class RestLinks {
  /** Path of the API, such as `/api/v3`. */
  abstract readonly prefix: string;

  /** @param origin the origin of the forge, which is known only once the forge listens. */
  constructor(readonly origin: () => string) {}

  /** URL of the web pages, for users. */
  get html(): string {
    return this.origin();
  }

  /** URL of the API, for programs. */
  get api(): string {
    return `${this.html}${this.prefix}`;
  }
}
