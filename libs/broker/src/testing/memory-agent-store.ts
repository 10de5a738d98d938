import { TypedError } from '@interlock/api';
import type { AgentRecord, AgentStore } from '../source/agent-store.js';

/** Keeps the records of agents in memory, and each change of a phase. */
export class MemoryAgentStore implements AgentStore {
  readonly records = new Map<string, AgentRecord>();
  readonly phases: string[] = [];
  isLost = false;
  /** The phase of the next change that fails, and is not stored; undefined when none fails. */
  failing: AgentRecord['phase'] | undefined;

  list(): Promise<AgentRecord[]> {
    return Promise.resolve([...this.records.values()].map((record) => ({ ...record })));
  }

  save(agent: AgentRecord): Promise<void> {
    if (this.isLost) return Promise.reject(new TypedError('Conflict', 'another process has the records'));
    if (agent.phase === this.failing) {
      this.failing = undefined;
      return Promise.reject(new TypedError('Transient', 'HTTP 500'));
    }
    this.records.set(agent.name, { ...agent });
    this.phases.push(agent.phase);
    return Promise.resolve();
  }

  remove(name: string): Promise<void> {
    this.records.delete(name);
    return Promise.resolve();
  }
}
