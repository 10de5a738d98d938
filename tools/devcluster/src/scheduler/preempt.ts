import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import { labelSelectorRequirements, matchesLabels } from '../selectors/labels.js';
import { misfitWithNominated, withNode, type Misfit } from './fit.js';
import { withPods, type NodeInfo, type PodInfo, type Snapshot } from './snapshot.js';

/** The pods that have to be removed from a node so that another pod fits, the most important first. */
export interface Candidate {
  node: string;
  victims: readonly PodInfo[];
  /** How many victims a PodDisruptionBudget protects. */
  violations: number;
}

/** Returns why a pod must not take the place of other pods; undefined when it may. */
export function ineligibility(
  pod: PodInfo,
  misfits: ReadonlyMap<string, Misfit>,
  snapshot: Snapshot,
): string | undefined {
  if (textAt(pod.pod, 'spec', 'preemptionPolicy') === 'Never') {
    return 'not eligible due to preemptionPolicy=Never.';
  }
  if (misfits.get(pod.nominatedNode)?.unresolvable === true) return undefined;
  const nominated = snapshot.nodes.find(({ name }) => name === pod.nominatedNode);
  const waits = nominated?.pods.some((other) => other.priority < pod.priority && isBeingPreempted(other.pod));
  return waits === true ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

function isBeingPreempted(pod: KubeObject): boolean {
  if (pod.metadata.deletionTimestamp === undefined) return false;
  return objectsAt(pod, 'status', 'conditions').some(
    ({ type, status, reason }) =>
      type === 'DisruptionTarget' && status === 'True' && reason === 'PreemptionByScheduler',
  );
}

/**
 * Returns the pods of lower priority that have to leave a node for a pod, as few as possible, and protected pods only
 * if necessary; or the reason why that does not help. Source: Kubernetes
 * pkg/scheduler/framework/plugins/defaultpreemption.
 */
export function victimsOn(pod: PodInfo, node: NodeInfo, snapshot: Snapshot): Candidate | Misfit {
  const lower = node.pods.filter(({ priority }) => priority < pod.priority).sort(byImportance);
  if (lower.length === 0) {
    return { reasons: ['No preemption victims found for incoming pod'], unresolvable: true };
  }
  let kept = node.pods.filter((one) => !lower.includes(one));
  const problemWith = (pods: readonly PodInfo[]): Misfit | undefined => {
    const changed = withPods(node, pods);
    return misfitWithNominated(pod, changed, withNode(snapshot, changed));
  };
  const problem = problemWith(kept);
  if (problem !== undefined) return problem;
  const guarded = protectedPods(lower, snapshot.budgets);
  const victims: PodInfo[] = [];
  for (const one of [
    ...lower.filter((pod) => guarded.has(pod)),
    ...lower.filter((pod) => !guarded.has(pod)),
  ]) {
    const more = [...kept, one];
    if (problemWith(more) === undefined) kept = more;
    else victims.push(one);
  }
  const violations = victims.filter((victim) => guarded.has(victim)).length;
  return { node: node.name, victims: victims.sort(byImportance), violations };
}

/** Compares pods by importance, the more important first: by priority, then by how long they have run. */
function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0;
}

/**
 * Returns the start as RFC 3339 in UTC with whole seconds, which sorts as text; a pod that has not started is the
 * latest.
 */
function startOf({ pod }: PodInfo): string {
  return textAt(pod, 'status', 'startTime') || '9999';
}

/** Returns the pods whose eviction a budget does not allow. */
function protectedPods(pods: readonly PodInfo[], budgets: readonly KubeObject[]): Set<PodInfo> {
  const left = budgets.map((budget) => Number(valueAt(budget, 'status', 'disruptionsAllowed') ?? 0));
  const found = new Set<PodInfo>();
  for (const pod of pods) {
    budgets.forEach((budget, index) => {
      if (!covers(budget, pod)) return;
      left[index] = (left[index] ?? 0) - 1;
      if (left[index] < 0) found.add(pod);
    });
  }
  return found;
}

/**
 * Returns whether a budget protects a pod. Neither a budget with an empty selector nor a budget that already counts
 * the eviction of the pod protects it here.
 */
function covers(budget: KubeObject, { namespace, labels, pod }: PodInfo): boolean {
  if (budget.metadata.namespace !== namespace) return false;
  const requirements = labelSelectorRequirements(objectAt(budget, 'spec', 'selector'));
  if (requirements.length === 0 || !matchesLabels(requirements, labels)) return false;
  return !Object.hasOwn(objectAt(budget, 'status', 'disruptedPods'), pod.metadata.name);
}

/**
 * Returns the candidate with the fewest protected victims; then the lowest priority of the most important victim, the
 * smallest sum of priorities, the fewest victims, the victims that started last, the first.
 */
export function bestCandidate(candidates: readonly Candidate[]): Candidate | undefined {
  const highest = ({ victims }: Candidate): number => victims[0]?.priority ?? 0;
  const sum = ({ victims }: Candidate): number =>
    victims.reduce((total, { priority }) => total + priority + 2 ** 31, 0);
  const [best] = [...candidates].sort(
    (a, b) =>
      a.violations - b.violations ||
      highest(a) - highest(b) ||
      sum(a) - sum(b) ||
      a.victims.length - b.victims.length ||
      (earliest(a) > earliest(b) ? -1 : earliest(a) < earliest(b) ? 1 : 0),
  );
  return best;
}

/** Returns when the first of the victims with the highest priority started. */
function earliest({ victims }: Candidate): string {
  const top = victims.filter(({ priority }) => priority === victims[0]?.priority);
  return top.map(startOf).sort()[0] ?? '';
}
