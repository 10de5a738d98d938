import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Problem } from '@interlock/base';
import { TypedError, type ActionsGateway, type Condition, type RunnerGroup } from '@interlock/api';
import { Failure, NetworkPolicy, type Conclusion } from '@interlock/kube';
import { gatewayOf, groupOf, observedGateway, tenantContext } from '../testing/builders.js';
import type { GatewayOutcome } from './outcome.js';
import { concludeGateway } from './conclude.js';
import { decideGateway } from './decide.js';
import { rangesStaleMs } from './findings.js';
import type { ObservedGateway } from './observed.js';

const now = Date.parse('2026-01-01T12:00:00Z');
const done: GatewayOutcome = { writes: 0, abandoned: [] };
const up: Partial<ObservedGateway> = { proxy: { ready: 2 }, controller: { ready: 1 } };

function conclude(
  changes: Partial<ObservedGateway>,
  outcome: GatewayOutcome | Failure = done,
): Conclusion<ActionsGateway> {
  const observed = observedGateway({ ...up, ...changes });
  return concludeGateway(observed, decideGateway(observed, now), outcome, now);
}

const conditionOf = ({ status }: Conclusion<ActionsGateway>, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

function group(type: string): RunnerGroup {
  const condition = {
    type,
    status: 'True' as const,
    reason: 'Because',
    message: 'it is',
    lastTransitionTime: '',
  };
  return {
    apiVersion: 'actions-gateway.github.com/v1alpha1',
    kind: 'RunnerGroup',
    metadata: { name: 'gateway-linux' },
    spec: groupOf(),
    status: { conditions: [condition], activeSessions: 3 },
  };
}

describe('concludeGateway', () => {
  it('reports Ready when the proxy and the controller are ready', () => {
    expect(conditionOf(conclude({}), 'Ready')).toMatchObject({ status: 'True', reason: 'AllAvailable' });
  });

  it.each<[string, Partial<ObservedGateway>, string, string]>([
    ['too few proxy pods', { proxy: { ready: 1 } }, 'ProxyAvailable', 'ProxyNotReady'],
    ['no proxy', { proxy: undefined }, 'ProxyAvailable', 'ProxyNotReady'],
    ['no controller pod', { controller: { ready: 0 } }, 'AGCAvailable', 'AGCNotReady'],
  ])('does not report Ready with %s', (_, changes, type, reason) => {
    const concluded = conclude(changes);
    expect(conditionOf(concluded, type)).toMatchObject({ status: 'False', reason });
    expect(conditionOf(concluded, 'Ready')).toMatchObject({ status: 'False', reason });
  });

  it.each(['proxy', 'controller'] as const)('reports why the pods of the %s cannot be created', (part) => {
    const concluded = conclude({ [part]: { ready: 0, failure: 'must specify limits.cpu' } });
    expect(conditionOf(concluded, 'Ready')?.message).toMatch(/ready; must specify limits\.cpu$/);
  });

  it('states why a rollout of the controller does not proceed while its old pods are ready', () => {
    const concluded = conclude({ controller: { ready: 2, failure: 'exceeded quota: pods' } });
    expect(conditionOf(concluded, 'AGCAvailable')).toMatchObject({
      status: 'True',
      message: '2 pods of the controller are ready; exceeded quota: pods',
    });
  });

  it.each([
    ['exceeded quota: compute, requested: pods=1, used: pods=9, limited: pods=9', 'True'],
    ['failed quota: compute: must specify limits.cpu for: egress-proxy', 'True'],
    ['violates PodSecurity "restricted:latest": seccompProfile', 'False'],
    ['error looking up service account team-a/actions-gateway-proxy', 'False'],
  ])('blames a quota for a refused pod of the proxy only if there is one: %s', (failure, status) => {
    const concluded = conclude({ proxy: { ready: 2, failure: `pods "x" is forbidden: ${failure}` } });
    expect(conditionOf(concluded, 'ProxyQuotaExceeded')?.status).toBe(status);
    expect(conditionOf(concluded, 'ProxyAvailable')).toMatchObject({
      status: 'True',
      message: expect.stringContaining(failure) as unknown as string,
    });
  });

  it('does not report Ready without its credential, and checks again', () => {
    const concluded = conclude({
      credential: new Problem('SecretNotFound', 'Secret team-a/github-app does not exist'),
    });
    expect(conditionOf(concluded, 'CredentialUnavailable')).toMatchObject({
      status: 'True',
      reason: 'SecretNotFound',
    });
    expect(conditionOf(concluded, 'Ready')).toMatchObject({ status: 'False', reason: 'SecretNotFound' });
    expect(concluded.requeueAfterMs).toBe(15_000);
  });

  it('does not report Ready without its certificate authorities, and checks again', () => {
    const concluded = conclude({ caBundle: new Problem('CABundleNotFound', 'ConfigMap team-a/ghes') });
    expect(conditionOf(concluded, 'CABundleUnavailable')).toMatchObject({ status: 'True' });
    expect(conditionOf(concluded, 'Ready')).toMatchObject({ status: 'False', reason: 'CABundleNotFound' });
    expect(concluded.requeueAfterMs).toBe(15_000);
  });

  it.each(['CredentialUnavailable', 'CABundleUnavailable'])(
    'does not claim anything in %s for a refused gateway, whose references are not read',
    (type) => {
      const gateway = gatewayOf({ gitHubCABundleRef: { kind: 'Secret', name: 'ghes', key: 'ca.crt' } });
      const credential = new Problem('NotRead', 'the Secret is read when the gateway is accepted');
      const concluded = conclude({ gateway, isTenant: false, credential });
      expect(conditionOf(concluded, type)).toMatchObject({ status: 'Unknown', reason: 'NotRead' });
      expect(conditionOf(concluded, 'Ready')?.reason).toBe('NamespaceNotAllowed');
    },
  );

  it('reads certificate authorities again in five minutes', () => {
    const concluded = conclude({ caBundle: { digest: 'abc', certificates: 2 } });
    expect(conditionOf(concluded, 'CABundleUnavailable')).toMatchObject({
      status: 'False',
      reason: 'CABundleValid',
      message: 'spec.gitHubCABundleRef can be used; certificates: 2',
    });
    expect(concluded.requeueAfterMs).toBe(5 * 60_000);
    expect(conditionOf(conclude({}), 'CABundleUnavailable')).toMatchObject({ reason: 'NotConfigured' });
  });

  it('checks a credential of another namespace every five minutes', () => {
    const gateway = gatewayOf({ gitHubAppRef: { name: 'github-app', namespace: 'platform' } });
    expect(conclude({ gateway }).requeueAfterMs).toBe(5 * 60_000);
    expect(conclude({}).requeueAfterMs).toBe(60 * 60_000);
  });

  it('reads the ports of the API server again in a minute while they are unknown', () => {
    const context = { ...tenantContext, apiServerPorts: undefined };
    expect(conclude({ context }).requeueAfterMs).toBe(60_000);
  });

  it('reports the error of the step that failed', () => {
    const failure = new Failure(new TypedError('Transient', 'the API server is not available'), true);
    const concluded = conclude({}, failure);
    expect(conditionOf(concluded, 'Degraded')).toMatchObject({
      status: 'True',
      message: 'the API server is not available',
    });
    expect(conditionOf(concluded, 'Ready')).toMatchObject({ status: 'False', reason: 'ProvisioningFailed' });
  });

  const deleted = gatewayOf();
  deleted.metadata.deletionTimestamp = new Date(now).toISOString();
  it.each<[string, Partial<ObservedGateway>, string]>([
    ['outside the namespaces of tenants', { isTenant: false }, 'NotReconciled'],
    [
      'that is refused',
      { problems: [{ field: 'spec.gitHubURL', message: 'must be a URL' }] },
      'NotReconciled',
    ],
    ['that is being deleted', { gateway: deleted }, 'Deleting'],
    ['whose objects were applied', {}, 'ReconcileSucceeded'],
  ])(
    'does not report that the objects of a gateway %s are up to date without reason',
    (_, changes, reason) => {
      expect(conditionOf(conclude(changes), 'Degraded')).toMatchObject({ status: 'False', reason });
    },
  );

  it.each<[string, Partial<ObservedGateway>, string, string]>([
    [
      'a quota without room',
      { proxy: { ready: 2, failure: 'exceeded quota: pods' } },
      'ProxyQuotaExceeded',
      'ReplicasRejected',
    ],
    [
      'a RunnerGroup without sessions',
      { groups: [group('Degraded')] },
      'RunnerGroupsDegraded',
      'RunnerGroupsImpaired',
    ],
    [
      'an installation that allows no network',
      { githubRanges: { ranges: [], fetchedAt: now } },
      'EgressRulesStale',
      'NoNetworks',
    ],
    ['unknown networks of GitHub', { githubRanges: undefined }, 'EgressRulesStale', 'RefreshPending'],
    [
      'stale networks of GitHub',
      { githubRanges: { ranges: ['140.82.112.0/20'], fetchedAt: now - rangesStaleMs - 1 } },
      'EgressRulesStale',
      'RefreshStalled',
    ],
  ])('reports %s, and stays Ready', (_, changes, type, reason) => {
    const concluded = conclude(changes);
    expect(conditionOf(concluded, type)).toMatchObject({ status: 'True', reason });
    expect(conditionOf(concluded, 'Ready')?.status).toBe('True');
  });

  it('chooses the reason of Ready in the order of the conditions in docs/gmc.md', () => {
    const page = readFileSync(new URL('../../../../docs/gmc.md', import.meta.url), 'utf8');
    const [, table = ''] = page.split('| the reason is that of the first of the next five');
    const listed = [...table.matchAll(/^\| `(\w+)` /gm)].map(([, type]) => type).slice(0, 5);
    const missing = new Problem('SecretNotFound', 'create it');
    const faults: [type: string, changes: Partial<ObservedGateway>][] = [
      ['AGCAvailable', { controller: undefined }],
      ['ProxyAvailable', { proxy: undefined }],
      ['CABundleUnavailable', { caBundle: new Problem('CABundleInvalid', 'correct it') }],
      ['CredentialUnavailable', { credential: missing }],
    ];
    let changes: Partial<ObservedGateway> = {};
    const order: string[] = [];
    const expectFirst = (type: string, concluded: Conclusion<ActionsGateway>): void => {
      expect(conditionOf(concluded, 'Ready')?.reason).toBe(conditionOf(concluded, type)?.reason);
      order.unshift(type);
    };
    for (const [type, more] of faults) {
      changes = { ...changes, ...more };
      expectFirst(type, conclude(changes));
    }
    expectFirst('Degraded', conclude(changes, new Failure(new TypedError('Invalid', 'refused'), true)));
    expect(order).toEqual(listed);
  });

  it('does not report networks that the platform team manages', () => {
    const { proxy } = gatewayOf().spec;
    const gateway = gatewayOf({ proxy: { ...proxy, managedNetworkPolicy: false } });
    expect(conditionOf(conclude({ gateway, githubRanges: undefined }), 'EgressRulesStale')).toMatchObject({
      status: 'False',
      reason: 'NotManaged',
    });
  });

  it('does not count a RunnerGroup that is only waiting', () => {
    expect(conditionOf(conclude({ groups: [group('RateLimited')] }), 'RunnerGroupsDegraded')?.status).toBe(
      'False',
    );
  });

  it('counts pods and sessions', () => {
    expect(conclude({ groups: [group('Ready'), group('Ready')] }).status).toMatchObject({
      observedGeneration: 1,
      proxyReadyReplicas: 2,
      activeSessions: 6,
    });
  });

  it('reports the runners that stay at GitHub, first in the status and then in an event', () => {
    const gateway = gatewayOf();
    gateway.metadata.deletionTimestamp = new Date(now - 60 * 60_000).toISOString();
    const first = conclude({ gateway, groups: [group('Ready')] });
    const message = expect.stringContaining('at GitHub: gateway-linux;') as unknown as string;
    expect(conditionOf(first, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'TeardownIncomplete',
      message,
    });
    expect(first.happened ?? []).toEqual([]);
    const last = conclude({ gateway: { ...gateway, ...(first.status && { status: first.status }) } });
    expect(conditionOf(last, 'Ready')).toMatchObject({ reason: 'TeardownIncomplete', message });
    expect(last).toMatchObject({
      releases: true,
      happened: [{ type: 'Warning', reason: 'TeardownIncomplete', note: message }],
    });
  });

  it('reports that it waits for worker pods', () => {
    const gateway = gatewayOf();
    gateway.metadata.deletionTimestamp = new Date(now).toISOString();
    const owned = [{ kind: NetworkPolicy, name: 'workload', uid: '1', isBeingDeleted: false }];
    const concluded = conclude({ gateway, owned, workers: 1 });
    const message = expect.stringContaining('worker pods have not ended') as unknown as string;
    expect(conditionOf(concluded, 'Ready')).toMatchObject({ reason: 'Deleting', message });
    expect(concluded.requeueAfterMs).toBe(5_000);
  });

  it('reports no event when every runner was removed', () => {
    const gateway = gatewayOf();
    gateway.metadata.deletionTimestamp = new Date(now).toISOString();
    expect(conditionOf(conclude({ gateway, groups: [group('Ready')] }), 'Ready')).toMatchObject({
      reason: 'Deleting',
    });
    expect(conclude({ gateway })).toMatchObject({ releases: true, happened: [] });
  });

  it('does not change the conditions about the credential and the authorities of a gateway that is being deleted', () => {
    const gateway = gatewayOf();
    gateway.metadata.deletionTimestamp = new Date(now).toISOString();
    const types = conclude({ gateway, credential: new Problem('Deleting', 'the gateway is being deleted') })
      .status?.conditions;
    const named = ['CredentialUnavailable', 'CABundleUnavailable', 'AGCAvailable'];
    expect(types?.map(({ type }) => type).filter((type) => named.includes(type))).toEqual(['AGCAvailable']);
  });
});
