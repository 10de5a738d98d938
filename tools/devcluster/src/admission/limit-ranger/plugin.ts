import type { AdmissionPlugin, AdmissionRequest, Cluster } from '../../api/cluster.js';
import { objectsAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { newPod } from '../new-pod.js';
import { refusal } from '../refusal.js';
import { limitProblems } from './constraints.js';
import { applyLimitDefaults } from './defaults.js';

/**
 * Completes the resources of new pods and refuses those beyond a LimitRange of the namespace. An update cannot change
 * resources, so it is not checked again. Source: Kubernetes plugin/pkg/admission/limitranger.
 */
export function limitRanger(store: Cluster['store']): AdmissionPlugin {
  const limitsFor = (request: AdmissionRequest): JsonObject[][] =>
    store.entries('limitranges', request.namespace).map(({ object }) => objectsAt(object, 'spec', 'limits'));
  return {
    mutate: (request) => {
      const pod = newPod(request);
      if (pod === undefined) return;
      for (const limits of limitsFor(request)) applyLimitDefaults(pod, limits);
    },
    validate: (request) => {
      const pod = newPod(request);
      if (pod === undefined) return;
      for (const limits of limitsFor(request)) {
        const problems = limitProblems(pod, limits);
        if (problems.length > 0) throw refusal(request, ...problems);
      }
    },
  };
}
