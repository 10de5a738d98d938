import type { ViolationRule } from './violations.js';

interface RefusalDetails {
  /** `errorKind` of the broker, `error` of the token endpoint. */
  kind?: string | undefined;
  /** The rule that the client violated; absent for refusals that a correct client can receive. */
  violation?: ViolationRule | undefined;
  headers?: Record<string, string> | undefined;
}

/** A request that is answered with an error. The base that received the request determines the format of the body. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly kind: string | undefined;
  readonly violation: ViolationRule | undefined;
  readonly headers: Record<string, string> | undefined;

  constructor(
    readonly status: number,
    message: string,
    details: RefusalDetails = {},
  ) {
    super(message);
    this.kind = details.kind;
    this.violation = details.violation;
    this.headers = details.headers;
  }
}
