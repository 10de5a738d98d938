import type * as core from 'kubernetes-types/core/v1.js';
import type { WorkerPodSpec } from './runner-container.js';

/** Tolerates the taints that the scheduler respects: they do not apply to a pod that its template binds to a node. */
const everyTaint: core.Toleration = { operator: 'Exists', effect: 'NoSchedule' };

/**
 * Returns a pod that the scheduler binds to the node that `nodeName` names, as it does for a DaemonSet. The API server allows no
 * scheduling gate together with `nodeName`, and a pod without the gate could run a job that no replica has recorded. In contrast to
 * `nodeName`, the pod waits while the node is full. Pure.
 */
export function scheduledToNode(spec: WorkerPodSpec): WorkerPodSpec {
  const { nodeName = '', affinity, tolerations = [], ...kept } = spec;
  if (nodeName === '') return spec;
  const { nodeAffinity } = affinity ?? {};
  const { nodeSelectorTerms = [{}] } = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  return {
    ...kept,
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: nodeSelectorTerms.map((term) => onNode(term, nodeName)),
        },
      },
    },
    tolerations: [...tolerations, everyTaint],
  };
}

/** A term with two requirements for the name of the node matches none, as `nodeName` beside such a term does. */
function onNode(term: core.NodeSelectorTerm, nodeName: string): core.NodeSelectorTerm {
  const { matchFields = [] } = term;
  const field: core.NodeSelectorRequirement = { key: 'metadata.name', operator: 'In', values: [nodeName] };
  return { ...term, matchFields: [...matchFields, field] };
}
