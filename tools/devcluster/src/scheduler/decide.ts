import { misfitWithNominated, type Misfit } from './fit.js';
import { bestCandidate, ineligibility, victimsOn, type Candidate } from './preempt.js';
import { mostSuitable } from './score.js';
import type { PodInfo, Snapshot } from './snapshot.js';

/** The decision about a pod that has no node. */
export type Decision =
  | { kind: 'bind'; node: string }
  | {
      kind: 'unschedulable';
      message: string;
      /** The node that is being made free for the pod; '' when no node is; undefined when this does not change. */
      nominatedNode: string | undefined;
      victims: readonly PodInfo[];
    };

/** Returns the node for a pod, or why there is none and which pods have to make room for it. */
export function decide(pod: PodInfo, snapshot: Snapshot): Decision {
  if (snapshot.nodes.length === 0) {
    return unschedulable('no nodes available to schedule pods', undefined);
  }
  const misfits = new Map<string, Misfit>();
  for (const node of snapshot.nodes) {
    const found = misfitWithNominated(pod, node, snapshot);
    if (found !== undefined) misfits.set(node.name, found);
  }
  const suitable = snapshot.nodes.filter(({ name }) => !misfits.has(name));
  const chosen = suitable.find(({ name }) => name === pod.nominatedNode) ?? mostSuitable(pod, suitable);
  if (chosen !== undefined) return { kind: 'bind', node: chosen.name };
  const message = fitMessage(snapshot.nodes.length, [...misfits.values()]);
  const refusal = ineligibility(pod, misfits, snapshot);
  if (refusal !== undefined) return unschedulable(`${message} preemption: ${refusal}`, undefined);
  const best = preemption(pod, misfits, snapshot);
  if (typeof best === 'string') return unschedulable(`${message} preemption: ${best}`, '');
  return { kind: 'unschedulable', message, nominatedNode: best.node, victims: best.victims };
}

function unschedulable(message: string, nominatedNode: string | undefined): Decision {
  return { kind: 'unschedulable', message, nominatedNode, victims: [] };
}

/** Returns the pods that make room; or, as text, why no pod can. */
function preemption(
  pod: PodInfo,
  misfits: ReadonlyMap<string, Misfit>,
  snapshot: Snapshot,
): Candidate | string {
  const notHelpful: Misfit = {
    reasons: ['Preemption is not helpful for scheduling'],
    unresolvable: true,
  };
  const results = snapshot.nodes.map((node) =>
    misfits.get(node.name)?.unresolvable === true ? notHelpful : victimsOn(pod, node, snapshot),
  );
  const candidates = results.filter((result): result is Candidate => 'node' in result);
  const problems = results.filter((result): result is Misfit => 'reasons' in result);
  return bestCandidate(candidates) ?? fitMessage(snapshot.nodes.length, problems);
}

/** Returns how many nodes refuse a pod for which reasons (Kubernetes pkg/scheduler/framework, FitError). */
function fitMessage(nodes: number, misfits: readonly Misfit[]): string {
  const counts = new Map<string, number>();
  for (const reason of misfits.flatMap(({ reasons }) => reasons))
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const texts = [...counts].map(([reason, count]) => `${String(count)} ${reason}`).sort();
  return `0/${String(nodes)} nodes are available: ${texts.join(', ')}.`;
}
