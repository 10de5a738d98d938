import type { Verdict } from '../actuator.js';

/** The verdict of one binding, or of the annotations of the object, about an object. */
export interface Claim {
  /** The name in the list of bindings that hold the object. */
  name: string;
  mode: 'Suspend' | 'Pin';
  /** Absent if its gates have not been evaluated yet. */
  verdict?: Verdict | undefined;
  /** Whether the claim permits a release: all gates had been evaluated, and no change has become due since then. */
  settled: boolean;
  /** Revisions that overrides let through although the claim is closed, the newest last. */
  approved: readonly string[];
}

/** Returns the claims that require an object to be held. */
export function closedClaims(claims: readonly Claim[]): Claim[] {
  return claims
    .filter(({ verdict }) => verdict?.state === 'Closed')
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
