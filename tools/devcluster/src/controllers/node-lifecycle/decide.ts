import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

/** Time without a report after which a node is lost. */
export const graceMs = 50_000;

const observedTypes = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The taint for each condition, by the status of the condition. */
const conditionTaints: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: 'node.kubernetes.io/not-ready', Unknown: 'node.kubernetes.io/unreachable' },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};
const cordon = 'node.kubernetes.io/unschedulable';
const ownKeys = [...Object.values(conditionTaints).flatMap((byStatus) => Object.values(byStatus)), cordon];

/** The desired state of a node. */
interface NodeDecision {
  conditions: readonly JsonObject[];
  taints: readonly JsonObject[];
  /** The status of the condition Ready; undefined if the node does not have this condition. */
  ready: string | undefined;
}

/**
 * Returns the conditions of a node, which are Unknown if its kubelet is silent for too long, and the resulting taints.
 * A condition or taint that does not change is the same object. Source: Kubernetes pkg/controller/nodelifecycle.
 *
 * @param silentMs how long ago the node last renewed its lease, as observed
 * @param now RFC 3339
 */
export function decideNode(node: KubeObject, silentMs: number, now: string): NodeDecision {
  const stored = objectsAt(node, 'status', 'conditions');
  const conditions = silentMs < graceMs ? stored : lostConditions(node, stored, now);
  const ready = conditions.find(({ type }) => type === 'Ready');
  return {
    conditions,
    taints: taintsFor(node, conditions, now),
    ready: ready && textAt(ready, 'status'),
  };
}

function lostConditions(node: KubeObject, stored: readonly JsonObject[], now: string): JsonObject[] {
  const known = stored.map((condition) =>
    !observedTypes.includes(textAt(condition, 'type')) || condition['status'] === 'Unknown'
      ? condition
      : {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        },
  );
  const missing = observedTypes.filter((type) => !stored.some((condition) => condition['type'] === type));
  const never = missing.map((type) => ({
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
    lastTransitionTime: now,
  }));
  return [...known, ...never];
}

/** Returns the taints that others set, then the taints for the conditions. An existing taint keeps its time. */
function taintsFor(node: KubeObject, conditions: readonly JsonObject[], now: string): JsonObject[] {
  const stored = objectsAt(node, 'spec', 'taints');
  const meant = conditions.flatMap((condition) => {
    const type = textAt(condition, 'type');
    const key = conditionTaints[type]?.[textAt(condition, 'status')];
    if (key === undefined) return [];
    const effects = type === 'Ready' ? ['NoSchedule', 'NoExecute'] : ['NoSchedule'];
    return effects.map((effect) => ({ key, effect, timeAdded: now }));
  });
  if (objectAt(node, 'spec')['unschedulable'] === true) {
    meant.push({ key: cordon, effect: 'NoSchedule', timeAdded: now });
  }
  /* A node without the condition has not reported yet: what admission put on it stays. */
  const isUnreported = !conditions.some(({ type }) => type === 'Ready');
  const isMeant = (taint: JsonObject): boolean => meant.some((one) => isSame(one, taint));
  const kept = stored.filter(
    (taint) => !isOwn(taint) || isMeant(taint) || (isUnreported && !isCordon(taint)),
  );
  return [...kept, ...meant.filter((taint) => !stored.some((one) => isSame(one, taint)))];
}

function isOwn(taint: JsonObject): boolean {
  return ownKeys.includes(textAt(taint, 'key')) && textAt(taint, 'effect') !== 'PreferNoSchedule';
}

function isCordon(taint: JsonObject): boolean {
  return textAt(taint, 'key') === cordon;
}

function isSame(a: JsonObject, b: JsonObject): boolean {
  return a['key'] === b['key'] && a['effect'] === b['effect'];
}
