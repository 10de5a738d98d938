import { ConfigMap, Failure, type ControllerHandle } from '@interlock/kube';
import { cacheOptions } from '../caches.js';
import type { AgcContext } from '../context.js';
import { groupNameOf } from '../group-objects.js';
import { actOnRerun } from './act.js';
import { concludeRerun, rerunEvent } from './conclude.js';
import { decideRerun } from './decide.js';
import { countRerun } from './count.js';
import { observeRerun } from './observe.js';

/** Adds the reconciler of reruns, whose objects are the ConfigMaps of reruns. */
export function addRerunReconciler(context: AgcContext): ControllerHandle {
  const { manager, namespace, caches, metrics, events } = context;
  return manager.addReconciler({
    name: 'rerun',
    for: { kind: ConfigMap, cache: cacheOptions.reruns(namespace) },
    observe: (config, step) => observeRerun(context, config, step),
    decide: decideRerun,
    act: (decision, observed, step) => actOnRerun(context, decision, observed, step),
    conclude: concludeRerun,
    concluded({ object, observed, outcome }) {
      if (outcome instanceof Failure || outcome === undefined) return;
      const group = groupNameOf(object);
      countRerun(metrics, group, observed.record.cause, outcome.result);
      const regarding = caches.groups.get({ name: group, namespace });
      const event = rerunEvent(observed, outcome);
      if (regarding !== undefined && event !== undefined) events.record(regarding, event);
    },
  });
}
