/**
 * Every fetched tip has a reference named after itself: names do not clash, updates are never forced, and all commits are
 * reachable.
 */
export const tips = 'refs/tips';

export function tipRef(sha: string): string {
  return `${tips}/${sha}`;
}
