/** What came of a decision about a gateway. */
export interface GatewayOutcome {
  /** How many calls changed something. */
  writes: number;
  /** The RunnerGroups whose runners nobody could remove at GitHub. */
  abandoned: readonly string[];
}
