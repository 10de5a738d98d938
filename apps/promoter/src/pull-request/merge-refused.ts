import { TypedError } from '@interlock/api';

/** The SCM does not merge. Keeps the type and the reason of its answer. */
export class MergeRefused extends TypedError {
  constructor(
    readonly sha: string,
    cause: TypedError,
  ) {
    super(cause.type, cause.message, { reason: cause.reason, cause });
  }
}
