import {
  conditions as conditionTypes,
  gatewayConditions,
  runnerConditions,
  type ActionsGateway,
  type ActionsGatewayStatus,
  type Condition,
  type RunnerGroup,
} from '@interlock/api';
import {
  Failure,
  getCondition,
  setCondition,
  type Conclusion,
  type ConditionReason,
  type EventInput,
} from '@interlock/kube';
import type { GatewayOutcome } from './act.js';
import { credentialProblem, type GatewayDecision } from './decide.js';
import type { ObservedGateway } from './observed.js';

/** A Secret is not watched, because its content would be kept. */
const credentialRetryMs = 15_000;
/** Objects that somebody has removed or changed are seen at once; certificates are looked at so often. */
const resyncMs = 60 * 60_000;
/** The networks of GitHub are asked for every day; two answers may fail. */
export const rangesStaleMs = (2 * 24 + 1) * 60 * 60_000;

/** The conditions of a RunnerGroup that an operator of the gateway has to see to. */
const impairing = [
  runnerConditions.degraded,
  runnerConditions.credentialUnavailable,
  runnerConditions.runnerVersionTooOld,
  runnerConditions.workersUnschedulable,
];

interface Finding {
  type: string;
  isTrue: boolean;
  because: ConditionReason;
}

/** Returns the status of a gateway, its events, and when it is reconciled again. Pure. */
export function concludeGateway(
  observed: ObservedGateway,
  decision: GatewayDecision,
  outcome: GatewayOutcome | Failure,
  now: number,
): Conclusion<ActionsGateway> {
  const failure = outcome instanceof Failure ? outcome : undefined;
  const status = statusOf(observed, decision, failure, now);
  if (outcome instanceof Failure) return { status };
  const abandoned = outcome.abandoned.map(deregistrationFailed);
  switch (decision.type) {
    case 'release':
      return { status, releases: true };
    case 'drain':
      return { status, happened: abandoned, requeueAfterMs: Math.max(0, decision.nextAt - now) };
    case 'dismantle':
      return { status, requeueAfterMs: 1_000 };
    case 'refuse':
      return { status };
    case 'provision':
      return {
        status,
        requeueAfterMs: credentialProblem(observed) === undefined ? resyncMs : credentialRetryMs,
      };
  }
}

function deregistrationFailed(group: string): EventInput {
  return {
    type: 'Warning',
    reason: 'TeardownIncomplete',
    action: 'Delete',
    note: `the runners of RunnerGroup ${group} could not be removed at GitHub, because no controller ran that could do it; GitHub removes runners that stay offline, or remove them in its settings`,
  };
}

function statusOf(
  observed: ObservedGateway,
  decision: GatewayDecision,
  failure: Failure | undefined,
  now: number,
): ActionsGatewayStatus {
  const { gateway, proxy, groups } = observed;
  const { generation } = gateway.metadata;
  const findings = findingsOf(observed, failure, now);
  let { conditions }: { conditions?: Condition[] | undefined } = gateway.status ?? {};
  for (const { type, isTrue, because } of [readiness(decision, findings), ...findings]) {
    const status = isTrue ? 'True' : 'False';
    conditions = setCondition(conditions, { type, status, ...because }, generation, now);
  }
  return {
    ...gateway.status,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(conditions && { conditions }),
    proxyReadyReplicas: proxy?.ready ?? 0,
    activeSessions: groups.reduce((sum, { status }) => sum + (status?.activeSessions ?? 0), 0),
  };
}

/** The conditions that have to be as named for a gateway to be ready, in the order in which they are reported. */
const needed: readonly [string, boolean][] = [
  [runnerConditions.degraded, false],
  [runnerConditions.credentialUnavailable, false],
  [gatewayConditions.proxyAvailable, true],
  [gatewayConditions.agcAvailable, true],
];

function readiness(decision: GatewayDecision, findings: readonly Finding[]): Finding {
  const not = (reason: string, message: string): Finding => ({
    type: conditionTypes.ready,
    isTrue: false,
    because: { reason, message },
  });
  if (decision.type === 'refuse') return not(decision.reason, decision.message);
  if (decision.type !== 'provision') return not('Deleting', teardownMessage(decision));
  for (const [type, isWanted] of needed) {
    const finding = findings.find((one) => one.type === type && one.isTrue !== isWanted);
    if (finding !== undefined) return not(finding.because.reason, finding.because.message);
  }
  return {
    type: conditionTypes.ready,
    isTrue: true,
    because: { reason: 'AllAvailable', message: 'the egress proxy and the controller are available' },
  };
}

function teardownMessage(decision: Exclude<GatewayDecision, { type: 'refuse' | 'provision' }>): string {
  if (decision.type === 'drain')
    return 'the RunnerGroups are being deleted, and their runners removed at GitHub';
  return 'the objects of the gateway are being deleted';
}

function findingsOf(observed: ObservedGateway, failure: Failure | undefined, now: number): Finding[] {
  const { gateway, proxy, controller, groups } = observed;
  const finding = (type: string, isTrue: boolean, reason: string, message: string): Finding => ({
    type,
    isTrue,
    because: { reason, message },
  });
  const ready = proxy?.ready ?? 0;
  const { minReplicas } = gateway.spec.proxy;
  const isProxyUp = ready >= minReplicas;
  const isControllerUp = (controller?.ready ?? 0) > 0;
  const credential = credentialProblem(observed);
  const impaired = groups.filter(isImpaired).map(({ metadata }) => metadata.name);
  return [
    failure === undefined
      ? finding(runnerConditions.degraded, false, 'ReconcileSucceeded', 'all objects are as they are to be')
      : finding(runnerConditions.degraded, true, 'ProvisioningFailed', failure.error.message),
    credential === undefined
      ? finding(
          runnerConditions.credentialUnavailable,
          false,
          'SecretFound',
          'the Secret of the GitHub App has its three keys',
        )
      : finding(runnerConditions.credentialUnavailable, true, credential.reason, credential.message),
    finding(
      gatewayConditions.proxyAvailable,
      isProxyUp,
      isProxyUp ? 'ProxyReady' : 'ProxyNotReady',
      `${ready} of at least ${minReplicas} pods of the egress proxy are ready`,
    ),
    finding(
      gatewayConditions.agcAvailable,
      isControllerUp,
      isControllerUp ? 'AGCReady' : 'AGCNotReady',
      `${controller?.ready ?? 0} pods of the controller are ready`,
    ),
    proxy?.failure === undefined
      ? finding(
          gatewayConditions.proxyQuotaExceeded,
          false,
          'NoRejection',
          'the pods of the egress proxy are admitted',
        )
      : finding(gatewayConditions.proxyQuotaExceeded, true, 'ReplicasRejected', proxy.failure),
    impaired.length === 0
      ? finding(
          gatewayConditions.runnerGroupsDegraded,
          false,
          'AllRunnerGroupsHealthy',
          `${groups.length} RunnerGroups report nothing wrong`,
        )
      : finding(
          gatewayConditions.runnerGroupsDegraded,
          true,
          'RunnerGroupsImpaired',
          `${impaired.length} of ${groups.length} RunnerGroups need a look: ${impaired.slice(0, 10).join(', ')}`,
        ),
    egress(observed, now),
  ];
}

function isImpaired({ status }: RunnerGroup): boolean {
  return impairing.some((type) => getCondition(status?.conditions, type)?.status === 'True');
}

function egress({ gateway, githubRanges }: ObservedGateway, now: number): Finding {
  const type = gatewayConditions.egressRulesStale;
  const because = (isTrue: boolean, reason: string, message: string): Finding => ({
    type,
    isTrue,
    because: { reason, message },
  });
  if (!gateway.spec.proxy.managedNetworkPolicy) {
    return because(
      false,
      'NotManaged',
      'spec.proxy.managedNetworkPolicy is false: the platform team keeps the egress rules',
    );
  }
  if (githubRanges === undefined) {
    return because(
      true,
      'RefreshPending',
      'the networks of GitHub are not known yet: the egress proxy reaches nobody',
    );
  }
  const at = new Date(githubRanges.fetchedAt).toISOString();
  const isStale = now - githubRanges.fetchedAt > rangesStaleMs;
  return isStale
    ? because(
        true,
        'RefreshStalled',
        `the networks of GitHub were last read at ${at}; see the log of the gmc`,
      )
    : because(false, 'RefreshCurrent', `the networks of GitHub were read at ${at}`);
}
