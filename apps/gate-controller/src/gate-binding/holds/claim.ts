import type { Verdict } from '../actuator.js';

/** What one binding, or the annotations of the object, says about an object. */
export interface Claim {
  /** As it appears among who holds the object. */
  name: string;
  mode: 'Suspend' | 'Pin';
  /** Absent: its gates have not been evaluated yet. */
  verdict?: Verdict;
  /** Whether something may be released by it: it was given when all gates had been evaluated, and no change was due since. */
  settled: boolean;
  /** Revisions that overrides let through although it is closed, the newest last. */
  approved: readonly string[];
}

/** Returns the claims by which an object is to be held. */
export function closedClaims(claims: readonly Claim[]): Claim[] {
  return claims
    .filter(({ verdict }) => verdict?.state === 'Closed')
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
