/**
 * A runner that is registered at GitHub for one session, on record before the call that makes it, so that no crash leaves a runner
 * or a claimed job that nobody knows.
 *
 * - `registering`: the registration may have gone out.
 * - `idle`: registered; it has, or had, a session.
 * - `claiming`: a claim may have gone out.
 * - `bound`: it holds a job that is on record elsewhere.
 * - `retiring`: to be removed at GitHub.
 */
type AgentPhase = 'registering' | 'idle' | 'claiming' | 'bound' | 'retiring';

/** The delivery that an agent claims or has claimed. */
export interface Delivery {
  requestId: string;
  runServiceUrl: string;
  billingOwnerId: string;
}

/** What is on record of an agent. `jitConfig` is a secret. */
export interface AgentRecord {
  /** Name of the runner at GitHub; no other agent has had it. */
  name: string;
  phase: AgentPhase;
  /** Decimal text; known from the registration on. */
  runnerId?: string | undefined;
  /** The three credential files, as GitHub encodes them. */
  jitConfig?: string | undefined;
  sessionId?: string | undefined;
  delivery?: Delivery | undefined;
}

/** Keeps the records of the agents of one source. A call has resolved only when the record is durable. */
export interface AgentStore {
  list(signal: AbortSignal): Promise<AgentRecord[]>;
  /**
   * Creates or replaces the record of `agent.name`.
   *
   * @throws TypedError `Conflict` when another process has changed it: this one has lost the source, and must stop
   */
  save(agent: AgentRecord, signal: AbortSignal): Promise<void>;
  /** Removes a record; one that is gone is no error. */
  remove(name: string, signal: AbortSignal): Promise<void>;
}
