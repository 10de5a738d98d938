import type { CallOptions } from '../call-options.js';
import type { Priority } from '../governor/budget.js';
import type { ScmCall, ScmCaller } from '../metrics.js';
import type { Exchange } from './governed.js';

/** A call of a method of a repository. */
export interface Call extends ScmCall {
  /** The object, for messages, such as `pull request 7`; default: none. */
  object?: string;
  /** The priority of the operation, which the options may override. */
  priority: Priority;
  options?: CallOptions | undefined;
}

type Options = CallOptions | undefined;

/**
 * Returns a call about pull requests.
 * @param object the object, for example the result of {@link pullRequest}.
 */
export function pullRequestCall(
  operation: string,
  priority: Priority,
  options: Options,
  object: string,
): Call {
  return { api: 'PullRequest', operation, priority, options, object };
}

/** Returns a pull request, as messages name it. */
export function pullRequest(id: number): string {
  return `pull request ${id}`;
}

/**
 * Returns a call about commit statuses.
 * @param what such as `at <sha>`.
 */
export function commitStatusCall(
  operation: string,
  priority: Priority,
  options: Options,
  what: string,
): Call {
  return { api: 'CommitStatus', operation, priority, options, object: `commit status ${what}` };
}

/**
 * Returns a call about files, commits and branches.
 * @param what such as `branch main`.
 */
export function contentsCall(operation: string, priority: Priority, options: Options, what: string): Call {
  return { api: 'Contents', operation, priority, options, object: what };
}

/** Returns the exchange of a call; `repository` is its full name. */
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

/** Returns the operation and the object for messages, such as `merge pull request 7 of acme/web`. */
export function whatOf({ operation, object }: Call, repository: string): string {
  return `${operation} ${object ?? ''}${object === undefined ? '' : ' '}of ${repository}`;
}
