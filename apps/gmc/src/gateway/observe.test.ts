import { expect, it } from '@jest/globals';
import {
  RunnerGroup,
  runnerFinalizers,
  TypedError,
  type ActionsGateway,
  type Kind,
  type ObjectKey,
} from '@interlock/api';
import { NetworkPolicy } from '@interlock/kube';
import type { GmcContext } from '../context.js';
import { render } from '../render/render.js';
import { gatewayOf, groupOf, tenantContext } from '../testing/builders.js';
import { observeGateway } from './observe.js';
import type { ObservedGateway } from './observed.js';

const gateway = gatewayOf();
const policies = render(gateway, tenantContext)
  .filter(({ kind }) => kind.kind === NetworkPolicy.kind)
  .map(({ configuration }) => configuration);
const foreign = { metadata: { name: 'foreign', namespace: 'team-a' } };

/** A RunnerGroup that the gateway does not own. */
const strayGroup = {
  ...{ apiVersion: 'actions-gateway.github.com/v1alpha1', kind: 'RunnerGroup', spec: groupOf() },
  metadata: {
    ...{ name: 'stray', namespace: 'team-a', annotations: { filler: 'large' } },
    finalizers: [runnerFinalizers.agentPoolCleanup],
  },
};

/** Observes the gateway while the networks of GitHub are unknown. Caches are empty, and only policies exist. */
function observe(metadata: Partial<ActionsGateway['metadata']> = {}): Promise<ObservedGateway> {
  const lists: Record<string, readonly object[]> = {
    [NetworkPolicy.kind]: [...policies, foreign],
    [RunnerGroup.kind]: [strayGroup],
  };
  const list = async ({ kind }: Kind) => ({ items: lists[kind] ?? [] });
  const listPages = async function* (kind: Kind) {
    yield await list(kind);
  };
  const empty = { get: () => undefined, list: () => [], byIndex: () => [] };
  const get = async ({ kind }: Kind, { name, namespace }: ObjectKey) => {
    const found =
      kind === NetworkPolicy.kind &&
      policies.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    if (found) return found;
    throw new TypedError('NotFound', `${name} does not exist`);
  };
  const context = {
    caches: {
      ...{ gateways: empty, namespaces: empty, groups: empty, deployments: empty },
      owned: () => empty,
    },
    manager: { client: { get, list, listPages } },
    ...{ githubRanges: () => undefined, areRangesAwaited: () => false, apiServerPorts: async () => [443] },
    ...{
      installation: tenantContext.installation,
      policy: { allowedPriorityClasses: [], reservedNamespaces: [], credentialNamespaces: [] },
    },
  } as unknown as GmcContext;
  const observed = { ...gateway, metadata: { ...gateway.metadata, ...metadata } };
  return observeGateway(context, observed, AbortSignal.timeout(10_000));
}

it('finds the policies of a gateway that is being deleted although a cache does not contain them yet', async () => {
  const { owned } = await observe({ deletionTimestamp: '2026-11-27T00:00:00Z' });
  expect(owned.map(({ name }) => name)).toEqual(policies.map(({ metadata }) => metadata.name));
});

it('keeps only the metadata of the RunnerGroups of a gateway that is being deleted', async () => {
  const { strays } = await observe({ deletionTimestamp: '2026-11-27T00:00:00Z' });
  const { apiVersion, kind, metadata } = strayGroup;
  const { annotations: _, ...kept } = metadata;
  expect(strays).toEqual([{ apiVersion, kind, metadata: kept }]);
});

it('finds the egress rules of an existing policy while the networks of GitHub are unknown', async () => {
  expect((await observe()).hasEgressRules).toBe(true);
  expect((await observe({ namespace: 'team-b' })).hasEgressRules).toBe(false);
});
