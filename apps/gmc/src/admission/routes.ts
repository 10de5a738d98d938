import { ActionsGateway, ifFound, keyOf, RunnerGroup, type ObjectKey } from '@interlock/api';
import { Namespace, type Client } from '@interlock/kube';
import { judgeChange, validating, verdictOn, type AdmissionRoute } from '@interlock/service';
import { gatewayProblems, gatewayWarnings } from './gateway-rules.js';
import { groupProblems, type Profile } from './group-rules.js';
import type { TenantPolicy } from './policy.js';

/** Returns the validating webhooks for tenants. They read from the API server instead of a cache, so that two concurrent writes cannot both pass. */
export function tenantRoutes(client: Pick<Client, 'get' | 'list'>, policy: TenantPolicy): AdmissionRoute[] {
  return [
    validating(ActionsGateway, (request) =>
      judgeChange(request, async (gateway, old) => {
        const { namespace = '' } = keyOf(gateway);
        const [labels, gateways] = await Promise.all([
          labelsOf(client, namespace, request.signal),
          client.list(ActionsGateway, { namespace, signal: request.signal }),
        ]);
        const others = gateways.items.map(({ metadata }) => metadata.name);
        const problems = gatewayProblems(gateway, old, { policy, namespaceLabels: labels, others });
        return verdictOn(gateway, problems, gatewayWarnings(gateway));
      }),
    ),
    validating(RunnerGroup, (request) =>
      judgeChange(request, async (group) => {
        const profile = await profileOf(client, keyOf(group), request.signal);
        return verdictOn(group, groupProblems(group.spec, 'spec', profile, policy));
      }),
    ),
  ];
}

async function labelsOf(
  client: Pick<Client, 'get'>,
  name: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const namespace = await ifFound(client.get(Namespace, { name }, { signal }));
  return namespace?.metadata.labels ?? {};
}

/** Returns the profile of the gateway of a namespace; the default, `baseline`, if there is no gateway. */
async function profileOf(
  client: Pick<Client, 'list'>,
  { namespace = '' }: ObjectKey,
  signal: AbortSignal,
): Promise<Profile> {
  const { items } = await client.list(ActionsGateway, { namespace, signal });
  return items[0]?.spec.securityProfile ?? 'baseline';
}
