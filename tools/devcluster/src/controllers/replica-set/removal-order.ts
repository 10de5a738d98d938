import { textAt, type KubeObject } from '../../object.js';
import { isReady, mostRestarts, readySince } from '../pod-state.js';

const phases = ['Pending', 'Unknown', 'Running'];
const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

/** A comparison of pods; negative if the first one is deleted first. */
type Order = (a: KubeObject, b: KubeObject) => number;

/**
 * Returns the pods that a ReplicaSet deletes first. Source: Kubernetes pkg/controller/controller_utils.go,
 * ActivePodsWithRanks.
 *
 * @param related active pods of all ReplicaSets of the same owner: pods of nodes that have more of them go first
 * @param now milliseconds since the epoch
 */
export function podsToRemove(
  pods: readonly KubeObject[],
  count: number,
  related: readonly KubeObject[],
  now: number,
): KubeObject[] {
  if (count >= pods.length) return [...pods];
  const onNode = new Map<string, number>();
  for (const pod of related) onNode.set(nodeOf(pod), (onNode.get(nodeOf(pod)) ?? 0) + 1);
  const rank = (pod: KubeObject): number => onNode.get(nodeOf(pod)) ?? 0;
  const orders: readonly Order[] = [
    ascending((pod) => (nodeOf(pod) === '' ? 0 : 1)),
    ascending((pod) => phases.indexOf(textAt(pod, 'status', 'phase'))),
    ascending((pod) => (isReady(pod) ? 1 : 0)),
    ascending(costOf),
    ascending((pod) => -rank(pod)),
    byReadyTime(now),
    ascending((pod) => -mostRestarts(pod)),
    byAge((pod) => Date.parse(pod.metadata.creationTimestamp ?? ''), now),
  ];
  const order: Order = (a, b) => orders.reduce((found, next) => (found === 0 ? next(a, b) : found), 0);
  return [...pods].sort(order).slice(0, count);
}

function nodeOf(pod: KubeObject): string {
  return textAt(pod, 'spec', 'nodeName');
}

function costOf({ metadata }: KubeObject): number {
  const cost = metadata.annotations?.[costAnnotation] ?? '0';
  return /^(0|-?[1-9]\d{0,9})$/.test(cost) ? Number(cost) : 0;
}

function ascending(value: (pod: KubeObject) => number): Order {
  return (a, b) => value(a) - value(b);
}

function byReadyTime(now: number): Order {
  const compare = byAge((pod) => readySince(pod) ?? NaN, now);
  return (a, b) => (isReady(a) && isReady(b) ? compare(a, b) : 0);
}

/**
 * Returns the order by age: the younger pod is deleted first if the magnitudes of the ages differ, otherwise the one
 * with the smaller uid.
 */
function byAge(since: (pod: KubeObject) => number, now: number): Order {
  return (a, b) => {
    const [first, second] = [since(a), since(b)];
    if (first === second || Number.isNaN(first) || Number.isNaN(second)) return 0;
    const difference = magnitude(now - first) - magnitude(now - second);
    return difference === 0 ? uidOf(a).localeCompare(uidOf(b)) : difference;
  };
}

/** Returns the binary logarithm of an age in nanoseconds as a whole number. */
function magnitude(ms: number): number {
  return ms > 0 ? Math.trunc(Math.log2(ms * 1e6)) : -1;
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}
