import type { FluxObject } from '@interlock/gating';
import type { ControllerHandle, Manager, OptionalCache } from '@interlock/kube';
import { actOnHold, type HoldActors } from './act.js';
import { somethingChanged } from './caches.js';
import { concludeHold } from './conclude.js';
import { decideHold } from './decide.js';
import type { HoldFailures } from './failures.js';
import type { HoldGuards } from './guards.js';
import type { HoldObserver } from './observe.js';

interface HoldReconcilerParts extends HoldActors {
  manager: Manager;
  observer: HoldObserver;
  failures: HoldFailures;
  guards: HoldGuards;
}

/** Maximum number of objects of one kind that are written concurrently. */
const concurrency = 8;

/** Adds the reconciler of a Flux kind. It holds and releases the objects, and does not own their status. */
export function addHoldReconciler(
  cache: OptionalCache<FluxObject>,
  parts: HoldReconcilerParts,
): ControllerHandle {
  const { manager, observer, failures, guards } = parts;
  return manager.addReconciler({
    name: `hold-${cache.kind.plural}`,
    for: { kind: cache.kind, optional: cache, predicate: somethingChanged },
    concurrency,
    observe: (object, { now }) => observer.observe(object, now),
    decide: ({ object, claims, mayRelease }, now) => decideHold(object, claims, mayRelease, now),
    act: (decision, observed, context) => actOnHold(parts, observed, decision, context),
    conclude: concludeHold,
    forgotten(key) {
      const object = { kind: cache.kind.kind, metadata: key };
      failures.clear(object);
      guards.seen(object);
    },
  });
}
