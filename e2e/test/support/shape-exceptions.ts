import type { KindRule } from './kind-folders.js';

/** Folders that violate a rule, and the reasons. */
export const kindExceptions: readonly { folder: string; rules: readonly KindRule[]; reason: string }[] = [
  {
    folder: 'apps/commit-status-sync/src/sources',
    rules: ['length', 'decide', 'test'],
    reason: 'not a kind: it wires the kinds that only write CommitStatuses',
  },
  {
    folder: 'apps/commit-status-sync/src/garbage',
    rules: ['length'],
    reason: 'observe and act are a few lines each, over five caches that the reconciler watches',
  },
];

/** Names of functions that two projects export, and the reasons. */
export const sharedNameExceptions: readonly { reason: string; names: readonly string[] }[] = [
  {
    reason: 'errors with the reasons that each library documents',
    names: ['timeoutError'],
  },
  {
    reason: 'each app that receives webhooks has its own',
    names: ['handleWebhook', 'webhookRoutes'],
  },
  {
    reason: 'the same question, answered from a mirror and from a local repository',
    names: ['isAncestor', 'readRefs'],
  },
  {
    reason: 'the responder locates in the cluster and at the SCM, the CLI in the files that it is given',
    names: ['locate'],
  },
  {
    reason: 'expressions over other variables',
    names: ['compileExpression'],
  },
  {
    reason: 'another thing in each field, which has no better name there',
    names: [
      ...['bindingsOf', 'branchOf', 'contextOf', 'explain', 'hasEnded'],
      ...['isExpired', 'isFinal', 'isOurs', 'isProposing', 'isRejected', 'isTrue', 'originOf'],
      ...['outcomeOf', 'parseObject', 'pullRequestText', 'repositoryOf', 'run', 'settle', 'sourcesOf'],
      ...['specDigest', 'textOf', 'warningsOf'],
    ],
  },
];
