import type { JsonObject } from '../schema/types.js';

/** The Status of a patch that cannot be applied. */
export class PatchError extends Error {
  override readonly name = 'PatchError';

  constructor(
    /** HTTP status code. */
    readonly code: 400 | 413 | 422 | 500,
    /** `reason` of the Status; absent from it when undefined. */
    readonly reason: 'BadRequest' | 'Invalid' | 'RequestEntityTooLarge' | undefined,
    message: string,
    /** `details` of the Status. */
    readonly details?: JsonObject,
  ) {
    super(message);
  }
}
