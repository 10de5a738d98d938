import type { Stop } from '@interlock/base';
import type { BrokerSession } from '../../session/broker-session.js';
import type { RunnerToken } from '../../token/runner-token.js';
import type { CompactConfig } from '../../wire/compact-config.js';
import type { AgentRecord } from '../agent-store.js';

/** A runner of this process. */
export interface Agent {
  /** The record of the runner, without its JIT config. */
  record: AgentRecord;
  readonly config: CompactConfig;
  readonly token: RunnerToken;
  readonly session: BrokerSession;
  /** Ends its polls. */
  readonly stop: Stop;
  /** Resolves when its polls have ended and its session is deleted; undefined while it has never polled. */
  ended: Promise<void> | undefined;
}
