import type { ActionsGateway } from '@interlock/api';
import type { TenantContext } from './context.js';
import { controllerObjects } from './agc.js';
import { networkPolicies } from './network-policies.js';
import type { Rendered } from './objects.js';
import { proxyObjects } from './proxy.js';
import { runnerGroupObjects } from './runner-groups.js';

/**
 * Returns every object that a tenant is to have but the Secret of its proxy, in the order in which they are applied: what closes
 * the network comes before the pods, and the RunnerGroups, which bring jobs, come last. Pure.
 */
export function render(gateway: ActionsGateway, context: TenantContext): Rendered[] {
  return [
    ...networkPolicies(gateway, context),
    ...proxyObjects(gateway, context),
    ...controllerObjects(gateway, context),
    ...runnerGroupObjects(gateway, context.installation),
  ];
}
