export { systemClock, type Clock } from '@interlock/base';
export { AccountHealth, type AccountRef, type AccountProblem as AccountTrouble } from './account-health.js';
export { builtInPlugins } from './built-in.js';
export type { CallOptions } from './call-options.js';
export * from './contents.js';
export { credentialData } from './credential-secret.js';
export * from './ensure.js';
export {
  scmPluginApiVersion,
  type ExternalScmContext,
  type ExternalScmPlugin,
} from './external/external-plugin.js';
export { loadScmPlugins } from './external/load.js';
export type { ScmToolkit } from './external/toolkit.js';
export { giteaPlugin } from './gitea/plugin.js';
export { githubPlugin } from './github/plugin.js';
export { gitlabPlugin } from './gitlab/plugin.js';
export { priorities, type Priority, type RateLimit, type WritePace } from './governor/budget.js';
export { Governor, type GovernedCall, type GovernorOptions } from './governor/governor.js';
export {
  noScmMetrics,
  prometheusScmMetrics,
  type ScmCall,
  type ScmCaller,
  type ScmMetrics,
} from './metrics.js';
export {
  maxWebhookBytes,
  receiveWebhook,
  unverified,
  webhookServer,
  type ReceivedWebhook,
  type WebhookAnswer,
  type WebhookDelivery,
} from './receive.js';
export type { HostRules } from './hosts.js';
export * from './registry.js';
export type * from './scm.js';
export {
  carriesSignature,
  type MovedRef,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookReceiver,
} from './webhook.js';
export { WebhookSecrets, type DeliveryCheck } from './webhook-secrets.js';
export { RepositoryResolver, type ResolvedRepository } from './resolver.js';
