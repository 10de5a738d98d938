import { TypedError } from '@interlock/api';

/** The SCM refuses a merge. Keeps the type and the reason of its response. */
export class MergeRefused extends TypedError {
  constructor(
    readonly sha: string,
    cause: TypedError,
  ) {
    super(cause.type, cause.message, { reason: cause.reason, cause });
  }
}
