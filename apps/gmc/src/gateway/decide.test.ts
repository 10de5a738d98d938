import { describe, expect, it } from '@jest/globals';
import { RunnerGroup, type Kind } from '@interlock/api';
import { Problem } from '@interlock/base';
import { Deployment, NetworkPolicy, Service } from '@interlock/kube';
import { gatewayOf, groupOf, observedGateway, tenantContext } from '../testing/builders.js';
import { decideGateway, type GatewayDecision } from './decide.js';
import { findingsOf } from './findings.js';
import type { ObservedGateway, OwnedObject, PodCount } from './observed.js';

const now = Date.parse('2026-01-01T12:00:00Z');
const minuteMs = 60_000;
const object = (kind: Kind, name: string, isBeingDeleted = false): OwnedObject => ({
  ...{ kind, name, uid: name, isBeingDeleted },
});
const decide = (changes: Partial<ObservedGateway>): GatewayDecision =>
  decideGateway(observedGateway(changes), now);
const appliedBy = (decision: GatewayDecision): string[] =>
  decision.type === 'provision'
    ? decision.objects.map(({ kind, configuration }) => `${kind.kind}/${configuration.metadata.name}`)
    : [];
const controller = 'Deployment/actions-gateway-controller';
const { controller: agc, proxy } = tenantContext.installation.images;
const old = 'interlock/any:earlier';

describe('decideGateway', () => {
  it('applies NetworkPolicies before pods, and RunnerGroups last', () => {
    const gateway = gatewayOf({ runnerGroups: [groupOf()] });
    const applied = appliedBy(decide({ gateway }));
    const at = (name: string): number => applied.indexOf(name);
    expect(at('NetworkPolicy/actions-gateway-workload')).toBeLessThan(at('Deployment/actions-gateway-proxy'));
    expect(at('Deployment/actions-gateway-proxy')).toBeLessThan(at(controller));
    expect(at('RunnerGroup/gateway-linux')).toBe(applied.length - 1);
  });

  it('removes objects that are not required, but none that is already being deleted', () => {
    const owned = [
      object(NetworkPolicy, 'actions-gateway-workload'),
      object(Service, 'old'),
      object(RunnerGroup, 'gateway-old'),
      object(Service, 'going', true),
    ];
    const decision = decide({ owned });
    expect(decision.type === 'provision' && decision.prune.map(({ name }) => name)).toEqual([
      'old',
      'gateway-old',
    ]);
  });

  it.each<[string, Partial<ObservedGateway>]>([
    ['credentials', { credential: new Problem('SecretNotFound', 'no such Secret') }],
    ['certificate authorities', { caBundle: new Problem('CABundleNotFound', 'no such ConfigMap') }],
  ])('does not change a running controller without usable %s', (_, missing) => {
    const removed = decide({
      ...missing,
      controller: { ready: 1 },
      owned: [object(Deployment, 'actions-gateway-controller')],
    });
    expect(appliedBy(removed)).not.toContain(controller);
    expect(removed).toMatchObject({ prune: [] });
    expect(appliedBy(decide({ ...missing, controller: undefined }))).toContain(controller);
    expect(appliedBy(decide({ controller: { ready: 1 } }))).toContain(controller);
  });

  it.each<[string, Partial<PodCount>, Partial<PodCount>, boolean]>([
    ['waits for a proxy of another image', { image: old }, { image: old }, false],
    ['waits for the rollout of the proxy', { image: old }, { image: proxy, isRollingOut: true }, false],
    ['follows the rollout of the proxy', { image: old }, { image: proxy }, true],
    ['does not wait with an unchanged image', { image: agc }, { image: old }, true],
  ])('the controller %s', (_, running, pods, isApplied) => {
    const observed = observedGateway({ controller: { ready: 1, ...running }, proxy: { ready: 2, ...pods } });
    expect(appliedBy(decideGateway(observed, now)).includes(controller)).toBe(isApplied);
    const available = findingsOf(observed, undefined, now).find(({ type }) => type === 'AGCAvailable');
    expect(available?.because.message.includes('waits for the rollout')).toBe(!isApplied);
  });

  const deleted = gatewayOf();
  deleted.metadata.deletionTimestamp = '2026-01-01T11:59:00Z';
  it.each<[string, Partial<ObservedGateway>]>([
    ['is being deleted', { gateway: deleted }],
    ['is refused', { isTenant: false }],
  ])('the controller of an earlier release waits for no rollout if its gateway %s', (_, changes) => {
    const pods = { controller: { ready: 1, image: old }, proxy: { ready: 2, image: old } };
    const findings = findingsOf(observedGateway({ ...pods, ...changes }), undefined, now);
    const available = findings.find(({ type }) => type === 'AGCAvailable');
    expect(available?.because.message).toBe('1 pods of the controller are ready');
  });

  it.each<[string, Partial<ObservedGateway>, string]>([
    ['outside the namespaces of tenants', { isTenant: false }, 'NamespaceNotAllowed'],
    [
      'that the platform team does not allow',
      { problems: [{ field: 'spec.gitHubURL', message: 'must be a URL' }] },
      'InvalidSpec',
    ],
  ])('changes nothing for a gateway %s', (_, changes, reason) => {
    expect(decide({ ...changes, owned: [object(Service, 'old')] })).toMatchObject({ type: 'refuse', reason });
  });

  it('names the first ten problems of a gateway, and how many more there are', () => {
    const problems = Array.from({ length: 12 }, (_, at) => ({ field: `spec.f${at}`, message: 'is wrong' }));
    expect(decide({ problems })).toMatchObject({
      message: expect.stringMatching(
        /^spec\.f0: .*; spec\.f9: is wrong; 2 more problems; correct these first$/,
      ),
    });
  });
});

describe('decideGateway for a gateway that is being deleted', () => {
  const deletedBefore = (ms: number, changes: Partial<ObservedGateway> = {}): GatewayDecision => {
    const gateway = gatewayOf();
    gateway.metadata.deletionTimestamp = new Date(now - ms).toISOString();
    return decide({ gateway, ...changes });
  };
  const group = {
    apiVersion: 'actions-gateway.github.com/v1alpha1',
    kind: 'RunnerGroup',
    metadata: { name: 'gateway-linux', namespace: 'team-a' },
    spec: groupOf(),
  };
  const groups = [group];
  const goes = { deletionTimestamp: '2026-01-01T11:00:00Z' };
  const heldBy = (...finalizers: string[]) => [
    { ...group, metadata: { ...group.metadata, ...goes, finalizers } },
  ];
  const owned = [object(RunnerGroup, 'gateway-linux'), object(Deployment, 'actions-gateway-controller')];

  it('deletes its RunnerGroups first, and waits while their controller runs', () => {
    expect(deletedBefore(0, { groups, owned, controller: { ready: 1 } })).toMatchObject({
      type: 'drain',
      remove: [{ name: 'gateway-linux' }],
      givenUp: [],
      abandoned: [],
    });
    expect(deletedBefore(29 * minuteMs, { groups, owned, controller: { ready: 1 } })).toMatchObject({
      givenUp: [],
    });
  });

  it.each<[string, number, number, boolean]>([
    ['a controller that has been unready for a minute', 1 * minuteMs, 0, false],
    ['a controller that has been unready for two minutes', 2 * minuteMs, 0, true],
    ['a controller that takes too long', 30 * minuteMs, 2, true],
  ])('waits a bounded time for %s', (_, ms, ready, isGivenUp) => {
    const decision = deletedBefore(ms, { groups, owned, controller: { ready } });
    expect(decision).toMatchObject({ type: 'drain', givenUp: isGivenUp ? [group] : [], abandoned: [] });
  });

  it('waits two minutes for a missing controller to become ready', () => {
    expect(deletedBefore(minuteMs, { groups, controller: undefined })).toMatchObject({ givenUp: [] });
    expect(deletedBefore(3 * minuteMs, { groups, controller: undefined })).toMatchObject({
      givenUp: groups,
    });
  });

  it('releases a RunnerGroup that the status names', () => {
    const gateway = gatewayOf();
    const condition = {
      type: 'Ready',
      status: 'False' as const,
      reason: 'TeardownIncomplete',
      message: 'linux',
    };
    gateway.status = { conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }] };
    gateway.metadata.deletionTimestamp = new Date(now - 3 * minuteMs).toISOString();
    expect(decide({ gateway, groups, owned })).toMatchObject({ type: 'drain', abandoned: [group] });
  });

  it('does not wait for a RunnerGroup that only a foreign finalizer holds', () => {
    const runners = 'actions-gateway.github.com/agentpool-cleanup';
    expect(deletedBefore(0, { groups: heldBy('example.com/stay', runners), owned })).toMatchObject({
      type: 'drain',
    });
    expect(deletedBefore(0, { groups: heldBy('example.com/stay'), owned: owned.slice(1) })).toMatchObject({
      type: 'dismantle',
      remove: [{ name: 'actions-gateway-controller' }],
    });
  });

  it('waits for a RunnerGroup of another owner that is being deleted as well', () => {
    const strays = heldBy('actions-gateway.github.com/agentpool-cleanup');
    const decision = deletedBefore(3 * minuteMs, { strays, owned: owned.slice(1) });
    expect(decision).toMatchObject({ type: 'drain', remove: [], givenUp: strays });
    expect(deletedBefore(minuteMs, { strays })).toMatchObject({ type: 'drain', givenUp: [] });
  });

  it('releases a RunnerGroup of another owner, without deleting it, when its controller is gone', () => {
    const strays = groups;
    expect(deletedBefore(0, { strays, owned: owned.slice(1) })).toMatchObject({ type: 'dismantle' });
    expect(deletedBefore(0, { strays })).toMatchObject({ type: 'drain', remove: [], givenUp: strays });
    expect(deletedBefore(0, { strays, isTenant: false })).toEqual({ type: 'release' });
    expect(deletedBefore(30 * minuteMs, { strays })).toEqual({ type: 'release' });
  });

  it('removes the other objects after the RunnerGroups, and releases the gateway last', () => {
    expect(deletedBefore(0, { owned: owned.slice(1) })).toMatchObject({
      type: 'dismantle',
      remove: [{ name: 'actions-gateway-controller' }],
    });
    expect(deletedBefore(0)).toEqual({ type: 'release' });
  });

  it('removes NetworkPolicies after the pods that they isolate', () => {
    const kinds = [NetworkPolicy, Service, Deployment, Deployment, NetworkPolicy];
    const decision = deletedBefore(0, { owned: kinds.map((kind) => object(kind, 'x')) });
    expect(decision.type === 'dismantle' && decision.remove.map(({ kind }) => kind)).toEqual([
      ...[Deployment, Deployment, Service],
      ...[NetworkPolicy, NetworkPolicy],
    ]);
  });

  it('keeps NetworkPolicies while worker pods that they isolate are left', () => {
    const policy = object(NetworkPolicy, 'actions-gateway-workload');
    const left = [policy, object(Deployment, 'actions-gateway-controller')];
    expect(deletedBefore(0, { owned: left, workers: 1 })).toMatchObject({ remove: [left[1]] });
    expect(deletedBefore(0, { owned: [policy], workers: 1 })).toEqual({ type: 'dismantle', remove: [] });
    expect(deletedBefore(0, { owned: [policy] })).toMatchObject({ remove: [policy] });
  });

  it('waits a bounded time for worker pods', () => {
    const owned = [object(NetworkPolicy, 'actions-gateway-workload')];
    expect(deletedBefore(90 * minuteMs, { owned, workers: 1 })).toMatchObject({ remove: [] });
    expect(deletedBefore(100 * minuteMs, { owned, workers: 1 })).toMatchObject({ remove: owned });
  });

  it('releases RunnerGroups of other owners before it waits for worker pods', () => {
    const policy = object(NetworkPolicy, 'actions-gateway-workload');
    const decision = deletedBefore(0, { owned: [policy], workers: 1, strays: groups });
    expect(decision).toMatchObject({ type: 'drain', givenUp: groups });
  });

  it('deletes a gateway whose namespace is no longer a tenant', () => {
    expect(deletedBefore(0, { isTenant: false, problems: [{ field: 'spec', message: 'bad' }] })).toEqual({
      type: 'release',
    });
  });
});

describe('a GMC that does not know the ports of the API server', () => {
  const unknown = { context: { ...tenantContext, apiServerPorts: undefined } };
  const policy = 'NetworkPolicy/actions-gateway-controller';

  it('keeps the policy of a controller, whose API server may use another port than usual', () => {
    const running = decide({ ...unknown, owned: [object(NetworkPolicy, 'actions-gateway-controller')] });
    expect(appliedBy(running)).not.toContain(policy);
    expect(running).toMatchObject({ prune: [] });
    expect(appliedBy(decide(unknown))).toContain(policy);
  });
});

describe('a GMC that does not know the networks of GitHub', () => {
  const policy = object(NetworkPolicy, 'actions-gateway-proxy');
  const unknown = { githubRanges: undefined, context: { ...tenantContext, githubRanges: undefined } };
  const egressOf = (changes: Partial<ObservedGateway>) => {
    const decision = decide({ ...unknown, ...changes });
    return {
      applied: appliedBy(decision).includes('NetworkPolicy/actions-gateway-proxy'),
      removed: decision.type === 'provision' ? decision.prune : undefined,
    };
  };

  const messageOf = (changes: Partial<ObservedGateway>) => {
    const findings = findingsOf(observedGateway({ ...unknown, ...changes }), undefined, 0);
    const because = findings.find(({ type }) => type === 'EgressRulesStale')?.because;
    return [because?.reason, because?.message];
  };

  it('does not change the egress rules of a tenant', () => {
    expect(egressOf({ owned: [policy], hasEgressRules: true })).toEqual({ applied: false, removed: [] });
    const proxy = { ...gatewayOf().spec.proxy, managedNetworkPolicy: false };
    const unmanaged = { gateway: gatewayOf({ proxy }), owned: [policy], hasEgressRules: true };
    expect(egressOf(unmanaged)).toEqual({ applied: true, removed: [] });
  });

  it('blocks the egress of a tenant that has no egress rules', () => {
    expect(egressOf({ owned: [policy] })).toEqual({ applied: true, removed: [] });
    const [, message] = messageOf({ owned: [policy] });
    expect(message).toContain('the egress proxy cannot reach any network');
  });

  it.each([
    ['keeps the condition before the first answer', true, 'RefreshCurrent'],
    ['reports that GitHub does not answer', false, 'RefreshPending'],
  ])('%s', (_, areRangesAwaited, reason) => {
    const said = {
      type: 'EgressRulesStale',
      status: 'False' as const,
      reason: 'RefreshCurrent',
      message: 'read',
    };
    const gateway = {
      ...gatewayOf(),
      status: { conditions: [{ ...said, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    };
    expect(messageOf({ gateway, areRangesAwaited, hasEgressRules: true })).toEqual([
      reason,
      areRangesAwaited ? 'read' : expect.stringContaining('the existing egress rules are kept'),
    ]);
  });
});
