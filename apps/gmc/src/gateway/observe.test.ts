import { expect, it } from '@jest/globals';
import type { Kind } from '@interlock/api';
import { NetworkPolicy } from '@interlock/kube';
import type { GmcContext } from '../context.js';
import { render } from '../render/render.js';
import { gatewayOf, tenantContext } from '../testing/builders.js';
import { observeGateway } from './observe.js';

it('finds the policies of a gateway that is being deleted although a cache does not contain them yet', async () => {
  const gateway = gatewayOf();
  const policies = render(gateway, tenantContext)
    .filter(({ kind }) => kind.kind === NetworkPolicy.kind)
    .map(({ configuration }) => configuration);
  const foreign = { metadata: { name: 'foreign', namespace: 'team-a' } };
  const lists: Record<string, readonly object[]> = { [NetworkPolicy.kind]: [...policies, foreign] };
  const empty = { get: () => undefined, list: () => [], byIndex: () => [] };
  const context = {
    caches: {
      ...{ gateways: empty, namespaces: empty, groups: empty, deployments: empty },
      owned: () => empty,
    },
    manager: { client: { list: async ({ kind }: Kind) => ({ items: lists[kind] ?? [] }) } },
    ...{ githubRanges: () => undefined, areRangesAwaited: () => false, apiServerPorts: async () => [443] },
    ...{
      installation: tenantContext.installation,
      policy: { allowedPriorityClasses: [], reservedNamespaces: [], credentialNamespaces: [] },
    },
  } as unknown as GmcContext;
  const deletionTimestamp = '2026-11-27T00:00:00Z';
  const deleted = { ...gateway, metadata: { ...gateway.metadata, deletionTimestamp } };
  const { owned } = await observeGateway(context, deleted, AbortSignal.timeout(10_000));
  expect(owned.map(({ name }) => name)).toEqual(policies.map(({ metadata }) => metadata.name));
});
