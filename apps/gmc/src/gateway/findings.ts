import { gatewayConditions, runnerConditions, type RunnerGroup } from '@interlock/api';
import { isProblem } from '@interlock/base';
import { getCondition, type ConditionReason, type Failure } from '@interlock/kube';
import { awaitsProxy } from './decide.js';
import type { ObservedGateway, PodCount } from './observed.js';

/** Age from which the networks of GitHub are stale. They are read once a day; two reads may fail. */
export const rangesStaleMs = (2 * 24 + 1) * 60 * 60_000;

/** The conditions of a RunnerGroup that require action by the operator of the gateway. */
const impairing = [
  runnerConditions.degraded,
  runnerConditions.credentialUnavailable,
  runnerConditions.runnerVersionTooOld,
  runnerConditions.workersUnschedulable,
];

/** The status, reason and message of a condition. */
export interface Finding {
  type: string;
  /** Undefined if it is not known. */
  isTrue: boolean | undefined;
  because: ConditionReason;
}

const shownGroups = 10;

/** Returns the conditions of a gateway except `Ready`. Pure. */
export function findingsOf(observed: ObservedGateway, failure: Failure | undefined, now: number): Finding[] {
  return [
    progress(observed, failure),
    ...requirements(observed),
    ...availability(observed),
    roomForProxy(observed),
    healthOfGroups(observed),
    egressRules(observed, now),
  ];
}

function finding(type: string, isTrue: boolean | undefined, reason: string, message: string): Finding {
  return { type, isTrue, because: { reason, message } };
}

function isRefused({ isTenant, problems }: ObservedGateway): boolean {
  return !isTenant || problems.length > 0;
}

function progress(observed: ObservedGateway, failure: Failure | undefined): Finding {
  const type = runnerConditions.degraded;
  if (failure !== undefined) return finding(type, true, 'ProvisioningFailed', failure.error.message);
  if (observed.gateway.metadata.deletionTimestamp !== undefined)
    return finding(type, false, 'Deleting', 'the objects of the gateway are being deleted');
  return isRefused(observed)
    ? finding(type, false, 'NotReconciled', 'no object is changed; the condition Ready reports why')
    : finding(type, false, 'ReconcileSucceeded', 'all objects are up to date');
}

/** Returns the conditions about referenced objects. They are no longer read once the gateway is being deleted, so the conditions stay unchanged. */
function requirements(observed: ObservedGateway): Finding[] {
  if (observed.gateway.metadata.deletionTimestamp !== undefined) return [];
  if (isRefused(observed)) {
    const message = 'referenced objects are read when the gateway is accepted';
    return [runnerConditions.credentialUnavailable, gatewayConditions.caBundleUnavailable].map((type) =>
      finding(type, undefined, 'NotRead', message),
    );
  }
  return [credentialFinding(observed), caBundleFinding(observed)];
}

function credentialFinding({ credential }: ObservedGateway): Finding {
  const type = runnerConditions.credentialUnavailable;
  return isProblem(credential)
    ? finding(type, true, credential.reason, credential.message)
    : finding(type, false, 'SecretFound', 'the Secret of the GitHub App contains the three required keys');
}

function caBundleFinding({ caBundle }: ObservedGateway): Finding {
  const type = gatewayConditions.caBundleUnavailable;
  if (caBundle === undefined) {
    return finding(
      type,
      false,
      'NotConfigured',
      'no certificate authorities of spec.gitHubCABundleRef are in use',
    );
  }
  if (isProblem(caBundle)) return finding(type, true, caBundle.reason, caBundle.message);
  const message = `spec.gitHubCABundleRef can be used; certificates: ${caBundle.certificates}`;
  return finding(type, false, 'CABundleValid', message);
}

function availability(observed: ObservedGateway): Finding[] {
  const { gateway, proxy, controller } = observed;
  const { minReplicas } = gateway.spec.proxy;
  const proxyPods = proxy?.ready ?? 0;
  const controllerPods = controller?.ready ?? 0;
  /* Nothing is applied for a gateway that is being deleted or refused: its controller stays as it is. */
  const isApplied = gateway.metadata.deletionTimestamp === undefined && !isRefused(observed);
  const waiting =
    isApplied && awaitsProxy(observed) ? '; its new image waits for the rollout of the egress proxy' : '';
  const isProxyUp = proxyPods >= minReplicas;
  const isControllerUp = controllerPods > 0;
  return [
    finding(
      gatewayConditions.proxyAvailable,
      isProxyUp,
      isProxyUp ? 'ProxyReady' : 'ProxyNotReady',
      /* A rollout may be refused while the old pods are ready. */
      `${proxyPods} of at least ${minReplicas} pods of the egress proxy are ready${causeOf(proxy)}`,
    ),
    finding(
      gatewayConditions.agcAvailable,
      isControllerUp,
      isControllerUp ? 'AGCReady' : 'AGCNotReady',
      `${controllerPods} pods of the controller are ready${causeOf(controller)}${waiting}`,
    ),
  ];
}

/** Returns why pods cannot be created; undefined if they can. */
function causeOf(pods: PodCount | undefined): string {
  return pods?.failure === undefined ? '' : `; ${pods.failure}`;
}

/** The words in which a ResourceQuota refuses a pod. Pod Security and webhooks also refuse pods. */
const quotaRefusal = /\b(exceeded|failed) quota: /;

function roomForProxy({ proxy }: ObservedGateway): Finding {
  const type = gatewayConditions.proxyQuotaExceeded;
  return proxy?.failure !== undefined && quotaRefusal.test(proxy.failure)
    ? finding(type, true, 'ReplicasRejected', proxy.failure)
    : finding(type, false, 'NoRejection', 'no pod of the egress proxy is rejected by a ResourceQuota');
}

function healthOfGroups({ served }: ObservedGateway): Finding {
  const type = gatewayConditions.runnerGroupsDegraded;
  const impaired = served.filter(isImpaired).map(({ metadata }) => metadata.name);
  if (impaired.length === 0) {
    return finding(type, false, 'AllRunnerGroupsHealthy', `${served.length} RunnerGroups report no problem`);
  }
  const named = impaired.slice(0, shownGroups).join(', ');
  const message = `${impaired.length} of ${served.length} RunnerGroups report problems: ${named}`;
  return finding(type, true, 'RunnerGroupsImpaired', message);
}

/** Returns whether a RunnerGroup reports a problem that requires action. */
export function isImpaired({ status }: RunnerGroup): boolean {
  return impairing.some((type) => getCondition(status?.conditions, type)?.status === 'True');
}

function egressRules(observed: ObservedGateway, now: number): Finding {
  const { gateway, githubRanges, areRangesAwaited } = observed;
  const type = gatewayConditions.egressRulesStale;
  if (!gateway.spec.proxy.managedNetworkPolicy) {
    const message = 'spec.proxy.managedNetworkPolicy is false: the gmc does not manage the egress rules';
    return finding(type, false, 'NotManaged', message);
  }
  if (githubRanges === undefined) {
    /* A restart must not change the condition: it stays until the first answer. */
    const known = getCondition(gateway.status?.conditions, type);
    if (areRangesAwaited && known !== undefined)
      return finding(type, known.status === 'True', known.reason, known.message);
    const message = observed.hasEgressRules
      ? 'the networks of GitHub have not been read since the gmc started; the existing egress rules are kept; see the log of the gmc'
      : 'the networks of GitHub are not known yet: the egress proxy cannot reach any network';
    return finding(type, true, 'RefreshPending', message);
  }
  if (githubRanges.ranges.length === 0) {
    const message =
      'no network is allowed: the egress proxy cannot reach any network; ask the platform team to set --github-meta-url or --extra-egress-cidrs of the gmc';
    return finding(type, true, 'NoNetworks', message);
  }
  /* A day without a time keeps the status of every gateway unchanged at a restart. */
  const day = new Date(githubRanges.fetchedAt).toISOString().slice(0, 10);
  return now - githubRanges.fetchedAt > rangesStaleMs
    ? finding(
        type,
        true,
        'RefreshStalled',
        `the networks of GitHub were last read on ${day}; see the log of the gmc`,
      )
    : finding(type, false, 'RefreshCurrent', `the networks of GitHub were read on ${day}`);
}
