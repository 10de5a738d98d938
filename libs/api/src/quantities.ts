/** A separate entry point for quantities, pod resources and quota headroom. It loads no schema. */
export { podLimits, podRequests } from './quantity/pod-resources.js';
export { qosClass } from './quantity/qos.js';
export { Quantity, quantityNumber, quantityOf, quantityProblem } from './quantity/quantity.js';
export {
  type ResourceList,
  resourceList,
  addLists,
  sumOfLists,
  filterList,
  listsEqual,
  listToJson,
  listToText,
} from './quantity/resource-list.js';
export { quotaHeadroom } from './quota/headroom.js';
export { countsPods, podUsage, unstatedUsage } from './quota/pod-usage.js';
export { isPodInScope, scopeRequirements, type ScopeRequirement } from './quota/scopes.js';
