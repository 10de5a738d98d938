import type { ActionsGateway } from '@interlock/api';
import type { TenantContext } from './context.js';
import { controllerObjects } from './agc.js';
import { networkPolicies } from './network-policies.js';
import type { Rendered } from './objects.js';
import { proxyObjects } from './proxy.js';
import { runnerGroupObjects } from './runner-groups.js';

/**
 * Returns every desired object of a tenant except the Secret of its proxy, in the order in which they are applied: NetworkPolicies
 * before the pods, and RunnerGroups last, because they start jobs. Pure.
 */
export function render(gateway: ActionsGateway, context: TenantContext): Rendered[] {
  return [
    ...networkPolicies(gateway, context),
    ...proxyObjects(gateway, context),
    ...controllerObjects(gateway, context),
    ...runnerGroupObjects(gateway, context.installation),
  ];
}
