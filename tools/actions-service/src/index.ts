export {
  ActionsService,
  type AppCredentials,
  type EnqueueOptions,
  type JobHandle,
  type RunnerHandle,
} from './actions-service.js';
export type { ServiceUrls } from './domain/context.js';
export type { JobConclusion, JobRequest } from './domain/model.js';
export { RunnerKeys } from './domain/runner-keys.js';
export type { Verdict } from './domain/tally.js';
export type {
  ServiceFault,
  ServiceFaultEffect,
  ServiceFaultMatch,
  ServiceFaultRule,
} from './faults/fault-rules.js';
export { createLoopbackCertificate, type LoopbackCertificate } from './http/loopback-certificate.js';
export { liveTimings, type ActionsServiceOptions, type Base, type Dialect, type Timings } from './options.js';
export type { RequestEntry, RequestFilter, RequestSubject } from './record/request-journal.js';
export type { ServiceEvent, ServiceEventFilter, ServiceEventType } from './record/service-events.js';
export type { Violation, ViolationRule } from './record/violations.js';
export { startActionsService } from './service.js';
