/** Every fetched tip has a reference named after itself: no names to clash, nothing to force, and all of it is reachable. */
export const tips = 'refs/tips';

export function tipRef(sha: string): string {
  return `${tips}/${sha}`;
}
