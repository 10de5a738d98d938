export { AccountHealth, type AccountRef, type AccountProblem } from './account-health.js';
export { builtInPlugins } from './built-in.js';
export type { CallOptions } from './call-options.js';
export {
  type RepositoryContents,
  type Commit,
  type TreeEntry,
  type NewFile,
  type ReadFile,
  readFile,
} from './contents.js';
export { credentialData } from './credential-secret.js';
export * from './ensure.js';
export type { ExternalScmContext, ExternalScmPlugin } from './external/external-plugin.js';
export { loadScmPlugins } from './external/load.js';
export type { ScmToolkit } from './external/toolkit.js';
export { prometheusScmMetrics } from './metrics.js';
export {
  maxWebhookBytes,
  unverified,
  webhookServer,
  type WebhookAnswer,
  type WebhookDelivery,
} from './receive.js';
export * from './registry.js';
export type * from './scm.js';
export { carriesSignature, type WebhookEvent, type WebhookReceiver } from './webhook.js';
export { WebhookSecrets, type DeliveryCheck } from './webhook-secrets.js';
export { RepositoryResolver } from './resolver.js';
