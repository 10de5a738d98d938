/** The result of applying a decision about a gateway. */
export interface GatewayOutcome {
  /** The number of calls that changed an object. */
  writes: number;
  /** The RunnerGroups whose runners could not be removed at GitHub. */
  abandoned: readonly string[];
}
