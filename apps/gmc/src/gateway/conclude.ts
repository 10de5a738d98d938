import {
  conditions as conditionTypes,
  gatewayConditions,
  runnerConditions,
  type ActionsGateway,
  type ActionsGatewayStatus,
  type Condition,
} from '@interlock/api';
import { isProblem } from '@interlock/base';
import { Failure, getCondition, setCondition, type Conclusion, type EventInput } from '@interlock/kube';
import { isCentral } from '../render/context.js';
import type { GatewayOutcome } from './outcome.js';
import { isReported, teardownIncomplete, type GatewayDecision } from './decide.js';
import { findingsOf, type Finding } from './findings.js';
import type { ObservedGateway } from './observed.js';

/** The time after which a gateway is reconciled again, in milliseconds, by what it waits for. */
const requeueMs = {
  /** Secrets and ConfigMaps are not watched, because a cache would hold their content. */
  credential: 15_000,
  apiServerPorts: 60_000,
  /** The end of the last worker pod. */
  workers: 5_000,
  /** Certificates. Removed or changed objects are detected at once by their watches. */
  nothing: 60 * 60_000,
  /** Changes of a credential of another namespace, and of certificate authorities. */
  copies: 5 * 60_000,
} as const;

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
  switch (decision.type) {
    case 'release':
      return { status, releases: true, happened: incompletenessOf(observed.gateway) };
    case 'drain':
      return {
        status,
        requeueAfterMs: decision.givenUp.length > 0 ? 1_000 : Math.max(0, decision.nextAt - now),
      };
    case 'dismantle':
      return { status, requeueAfterMs: decision.remove.length > 0 ? 1_000 : requeueMs.workers };
    case 'refuse':
      return { status };
    case 'provision':
      return { status, requeueAfterMs: provisionedRequeueMs(observed) };
  }
}

function provisionedRequeueMs({ gateway, context, credential, caBundle }: ObservedGateway): number {
  if (isProblem(credential) || isProblem(caBundle)) return requeueMs.credential;
  if (context.apiServerPorts === undefined) return requeueMs.apiServerPorts;
  return isCentral(gateway) || caBundle !== undefined ? requeueMs.copies : requeueMs.nothing;
}

/** Returns the event about runners that were not removed at GitHub. The status named their RunnerGroups before they were released. */
function incompletenessOf(gateway: ActionsGateway): EventInput[] {
  const ready = getCondition(gateway.status?.conditions, conditionTypes.ready);
  if (!isReported(gateway) || ready === undefined) return [];
  return [{ type: 'Warning', reason: teardownIncomplete, action: 'Delete', note: ready.message }];
}

function statusOf(
  observed: ObservedGateway,
  decision: GatewayDecision,
  failure: Failure | undefined,
  now: number,
): ActionsGatewayStatus {
  const { gateway, proxy, served } = observed;
  const { generation } = gateway.metadata;
  const findings = findingsOf(observed, failure, now);
  let { conditions }: { conditions?: Condition[] | undefined } = gateway.status ?? {};
  for (const { type, isTrue, because } of [readiness(gateway, decision, findings), ...findings]) {
    const status = isTrue === undefined ? 'Unknown' : isTrue ? 'True' : 'False';
    conditions = setCondition(conditions, { type, status, ...because }, generation, now);
  }
  return {
    ...gateway.status,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(conditions && { conditions }),
    proxyReadyReplicas: proxy?.ready ?? 0,
    activeSessions: served.reduce((sum, { status }) => sum + (status?.activeSessions ?? 0), 0),
  };
}

/** The conditions that a ready gateway requires, with their required status, in the order in which they are reported. */
const required: readonly [type: string, isTrue: boolean][] = [
  [runnerConditions.degraded, false],
  [runnerConditions.credentialUnavailable, false],
  [gatewayConditions.caBundleUnavailable, false],
  [gatewayConditions.proxyAvailable, true],
  [gatewayConditions.agcAvailable, true],
];

function readiness(
  gateway: ActionsGateway,
  decision: GatewayDecision,
  findings: readonly Finding[],
): Finding {
  if (decision.type === 'refuse') return notReady(decision.reason, decision.message);
  if (decision.type !== 'provision') return teardown(gateway, decision);
  for (const [type, isTrue] of required) {
    const finding = findings.find((one) => one.type === type && one.isTrue !== isTrue);
    if (finding !== undefined) return notReady(finding.because.reason, finding.because.message);
  }
  return {
    type: conditionTypes.ready,
    isTrue: true,
    because: { reason: 'AllAvailable', message: 'the egress proxy and the controller are available' },
  };
}

function notReady(reason: string, message: string): Finding {
  return { type: conditionTypes.ready, isTrue: false, because: { reason, message } };
}

const shownGroups = 10;

function teardown(
  gateway: ActionsGateway,
  decision: Exclude<GatewayDecision, { type: 'refuse' | 'provision' }>,
): Finding {
  const ready = getCondition(gateway.status?.conditions, conditionTypes.ready);
  if (isReported(gateway) && ready !== undefined) return notReady(ready.reason, ready.message);
  if (decision.type === 'dismantle' && decision.remove.length === 0)
    return notReady('Deleting', 'worker pods have not ended yet; their NetworkPolicies are kept until then');
  if (decision.type !== 'drain') return notReady('Deleting', 'the objects of the gateway are being deleted');
  const { givenUp } = decision;
  if (givenUp.length === 0) {
    return notReady(
      'Deleting',
      'the RunnerGroups are being deleted, and their runners are being removed at GitHub',
    );
  }
  const named = givenUp.slice(0, shownGroups).map(({ metadata }) => metadata.name);
  const rest = givenUp.length > shownGroups ? ` and ${givenUp.length - shownGroups} more` : '';
  return notReady(
    teardownIncomplete,
    `no controller could remove the runners of these RunnerGroups at GitHub: ${named.join(', ')}${rest}; wait until GitHub removes them as offline runners, or delete them in the settings of GitHub`,
  );
}
