/**
 * The phases of a runner that is registered at GitHub for one session. The runner is recorded before the call that
 * registers it, so that no crash leaves a runner or a claimed job without a record.
 *
 * - `registering`: the registration may have been sent.
 * - `idle`: registered; it has, or had, a session.
 * - `claiming`: a claim may have been sent.
 * - `bound`: it holds a job that is recorded elsewhere.
 * - `retiring`: to be removed at GitHub.
 */
type AgentPhase = 'registering' | 'idle' | 'claiming' | 'bound' | 'retiring';

/** The delivery that an agent claims or has claimed. */
export interface Delivery {
  requestId: string;
  runServiceUrl: string;
  billingOwnerId: string;
}

/** The record of an agent. `jitConfig` is a secret. */
export interface AgentRecord {
  /** Unique name of the runner at GitHub. */
  name: string;
  phase: AgentPhase;
  /** URL of the owner at which the runner is, or may be, registered; absent in a record of an earlier version. */
  githubUrl?: string | undefined;
  /** Decimal text; known after the registration. */
  runnerId?: string | undefined;
  /** The three credential files, as GitHub encodes them. */
  jitConfig?: string | undefined;
  sessionId?: string | undefined;
  delivery?: Delivery | undefined;
}

/** Stores the records of the agents of one source. A call resolves when the record is durable. */
export interface AgentStore {
  list(signal: AbortSignal): Promise<AgentRecord[]>;
  /**
   * Creates or replaces the record of `agent.name`.
   *
   * @throws TypedError `Conflict` when another process has changed it: this process has lost the source, and must stop
   */
  save(agent: AgentRecord, signal: AbortSignal): Promise<void>;
  /** Removes a record; a missing one is not an error. */
  remove(name: string, signal: AbortSignal): Promise<void>;
}
