export type { Fault, FaultEffect, FaultMatch, FaultRule } from './faults.js';
export { startForge, type Forge, type ForgeOptions } from './forge.js';
export type { RepositorySource } from './git/create.js';
export { readRefs } from './git/refs.js';
export type { JournalEntry } from './journal.js';
export type { AppHandle, RepositoryHandle, UserHandle } from './provisioning.js';
export { deliverGithub, firstLineOf } from './hooks/webhook-client.js';
export { createForgeUser } from './users/create.js';
export { askForge, type ForgeUser, type ShownPullRequest } from './users/forge-user.js';
