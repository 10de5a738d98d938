import type { Priority } from '../governor/budget.js';
import type { ScmCall, ScmCaller } from '../metrics.js';
import type { CallOptions } from '../scm.js';
import type { Exchange } from './governed.js';

/** A call of a method of a repository. */
export interface Call extends ScmCall {
  /** The object, for messages, such as `pull request 7`; default: none. */
  object?: string;
  /** The priority of the operation; the options may say another. */
  priority: Priority;
  options?: CallOptions | undefined;
}

/** @returns the exchange of a call; `repository` is its full name. */
export function exchangeOf(call: Call, caller: ScmCaller, repository: string): Exchange {
  return {
    api: call.api,
    operation: call.operation,
    what: whatOf(call, repository),
    caller,
    priority: call.options?.priority ?? call.priority,
    signal: call.options?.signal,
  };
}

/** @returns for messages: operation and object, such as `merge pull request 7 of acme/web`. */
export function whatOf({ operation, object }: Call, repository: string): string {
  return `${operation} ${object ?? ''}${object === undefined ? '' : ' '}of ${repository}`;
}
