import type { BrokerSession } from '../../session/broker-session.js';
import type { RunnerToken } from '../../token/runner-token.js';
import type { AgentRecord } from '../agent-store.js';

/** A runner of this process. */
export interface Agent {
  record: AgentRecord;
  readonly token: RunnerToken;
  readonly session: BrokerSession;
  /** Ends its polls. */
  readonly stop: AbortController;
  /** Resolves when its polls have ended and its session is deleted; undefined while it has never polled. */
  ended: Promise<void> | undefined;
}
