export { ActionsService, type EnqueueOptions, type JobHandle } from './actions-service.js';
export { RunnerKeys } from './domain/runner-keys.js';
export type { Verdict } from './domain/tally.js';
export type { ServiceFaultEffect, ServiceFaultMatch } from './faults/fault-rules.js';
export { createLoopbackCertificate, type LoopbackCertificate } from './http/loopback-certificate.js';
export type { ActionsServiceOptions } from './options.js';
export type { RequestEntry } from './record/request-journal.js';
export type { ServiceEvent } from './record/service-events.js';
export { startActionsService } from './service.js';
