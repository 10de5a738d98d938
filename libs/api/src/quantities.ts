/** A separate entry point for quantities, pod resources and quota headroom. It loads no schema. */
export { hasPodLevelResources, podLimits, podRequests } from './quantity/pod-resources.js';
export { qosClass } from './quantity/qos.js';
export { Quantity, quantityNumber, quantityOf, quantityProblem } from './quantity/quantity.js';
export * from './quantity/resource-list.js';
export { quotaHeadroom, type QuotaHeadroom, type QuotaLimit } from './quota/headroom.js';
export { countsPods, podUsage, unstatedUsage } from './quota/pod-usage.js';
export { isPodInScope, scopeRequirements, type ScopeRequirement } from './quota/scopes.js';
