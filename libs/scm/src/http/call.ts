import type { CallOptions } from '../call-options.js';
import type { Priority } from '../governor/budget.js';
import type { ScmCall, ScmCaller } from '../metrics.js';
import type { Exchange } from './governed.js';

/** A call of a method of a repository. */
export interface Call extends ScmCall {
  /** The object, for messages, such as `pull request 7`; default: none. */
  object?: string;
  /** The priority of the operation; the options may say another. */
  priority: Priority;
  options?: CallOptions | undefined;
}

type Options = CallOptions | undefined;

/** @param object such as that of {@link pullRequest}. @returns a call about pull requests. */
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

/** @param what such as `at <sha>`. @returns a call about commit statuses. */
export function commitStatusCall(
  operation: string,
  priority: Priority,
  options: Options,
  what: string,
): Call {
  return { api: 'CommitStatus', operation, priority, options, object: `commit status ${what}` };
}

/** @param what such as `branch main`. @returns a call about files, commits and branches. */
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

/** Returns for messages: operation and object, such as `merge pull request 7 of acme/web`. */
export function whatOf({ operation, object }: Call, repository: string): string {
  return `${operation} ${object ?? ''}${object === undefined ? '' : ' '}of ${repository}`;
}
