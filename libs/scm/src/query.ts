import type { PullRequestInfo, PullRequestQuery } from './scm.js';

/** Returns whether a pull request has the branches of a query. */
export function matchesQuery(
  pull: Pick<PullRequestInfo, 'head' | 'base'>,
  { head, base }: Omit<PullRequestQuery, 'state'>,
): boolean {
  return (head === undefined || pull.head === head) && (base === undefined || pull.base === base);
}

/** Returns the description of a query, for messages. */
export function queryText({ head, base, state }: PullRequestQuery): string {
  const from = head === undefined ? '' : ` from ${head}`;
  const to = base === undefined ? '' : ` to ${base}`;
  return `${state === 'open' ? 'open ' : ''}pull requests${from}${to}`;
}
