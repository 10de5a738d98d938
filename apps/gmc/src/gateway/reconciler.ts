import {
  ActionsGateway,
  keyOf,
  RunnerGroup,
  runnerFinalizers,
  type KubeObject,
  type ObjectKey,
} from '@interlock/api';
import { Failure, generationChanged, Namespace, type ControllerHandle } from '@interlock/kube';
import { ownedKinds, ownedOptions } from '../caches.js';
import type { GmcContext } from '../context.js';
import { ownerLabel } from '../render/objects.js';
import { actOnGateway } from './act.js';
import { concludeGateway } from './conclude.js';
import { decideGateway } from './decide.js';
import { observeGateway } from './observe.js';
import { concernsGateway } from './relevance.js';

/** Number of tenants that are reconciled concurrently, so that one with hanging API calls does not delay the others. */
const concurrency = 16;

/** Adds the reconciler of ActionsGateways. Changes of owned objects and of the labels of the namespace trigger a reconcile. */
export function addGatewayReconciler(context: GmcContext): ControllerHandle {
  const { manager, caches } = context;
  const gatewayOf = ({ metadata }: KubeObject): ObjectKey[] => {
    const name = metadata.labels?.[ownerLabel];
    return name === undefined ? [] : [{ name, namespace: metadata.namespace }];
  };
  const gatewaysBeside = ({ metadata: { namespace } }: KubeObject): ObjectKey[] =>
    caches.gateways.list({ namespace }).map(keyOf);
  return manager.addReconciler({
    name: 'actions-gateway',
    concurrency,
    finalizer: {
      name: runnerFinalizers.gatewayCleanup,
      isNeeded: (decision) => decision.type === 'provision',
    },
    for: { kind: ActionsGateway, predicate: generationChanged },
    watches: [
      ...ownedKinds.map((kind) => ({
        ...{ kind, cache: ownedOptions(kind), map: kind === RunnerGroup ? gatewaysBeside : gatewayOf },
        predicate: concernsGateway,
      })),
      {
        /* A second gateway of a namespace is refused until the first one is gone. */
        kind: ActionsGateway,
        predicate: ({ type }: { type: string }) => type === 'deleted',
        map: gatewaysBeside,
      },
      {
        kind: Namespace,
        cache: { metadataOnly: true },
        map: ({ metadata }: KubeObject) => caches.gateways.list({ namespace: metadata.name }).map(keyOf),
      },
    ],
    observe: (gateway, { signal }) => observeGateway(context, gateway, signal),
    decide: decideGateway,
    act: (decision, observed, step) => actOnGateway(context, decision, observed, step),
    conclude: concludeGateway,
    concluded({ outcome }) {
      if (!(outcome instanceof Failure)) context.metrics.count(outcome);
    },
  });
}
