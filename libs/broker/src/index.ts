export { createBroker, type Broker } from './broker.js';
export type { BrokerMetrics } from './governor/metrics.js';
export type { HttpAnswer } from './http/exchange.js';
export { createHttpClient, type HttpClient } from './http/http-client.js';
export { readAppCredential, type AppCredential } from './registration/app-credential.js';
export { Runs, type WorkflowJob } from './registration/runs.js';
export type { RunnerDescription } from './session/broker-calls.js';
export type { AgentRecord, AgentStore } from './source/agent-store.js';
export { createClassicSource } from './source/classic/classic-source.js';
export type {
  JobKey,
  RunReference,
  JobConclusion,
  LockReference,
  JobLock,
  Claim,
  Refused,
  SourceHealth,
  SourceEvent,
  JobSource,
} from './source/job-source.js';
