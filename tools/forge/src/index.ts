export type { WallClock } from './clock.js';
export type { MergeMethod, Permissions, Role } from './domain/model.js';
export { Refusal, type Reason } from './domain/refusal.js';
export type { Fault, FaultEffect, FaultMatch, FaultRule } from './faults.js';
export { startForge, type Forge, type ForgeOptions } from './forge.js';
export type { RepositorySource } from './git/create.js';
export type { JournalEntry, JournalFilter } from './journal.js';
export type {
  AppHandle,
  AppOptions,
  ProtectionOptions,
  RepositoryHandle,
  RepositoryOptions,
  UserHandle,
  WebhookOptions,
} from './provisioning.js';
export { deliverGithub, firstLineOf } from './hooks/webhook-client.js';
