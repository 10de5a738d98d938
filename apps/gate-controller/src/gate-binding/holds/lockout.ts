import { conditions, keyOf, keyString, type KubeObject, type GateBinding } from '@interlock/api';
import type { ConditionInput } from '@interlock/kube';
import { bindsObject, flux, type FluxObject, type FluxObjects } from '@interlock/gating';
import { label, rootOf } from './graph.js';

/**
 * Returns the condition SelfLockout if a binding holds the source that delivers it or one of its deciders from Git: while
 * the binding is closed, changes to these objects in Git are not applied. kustomize-controller labels the objects that it
 * applies (Flux: Kustomization, "Inventory").
 *
 * @param deciders the binding, its gates and the objects that close them
 */
export function lockoutOf(
  binding: GateBinding,
  deciders: readonly KubeObject[],
  objects: FluxObjects,
): ConditionInput | undefined {
  for (const decider of deciders) {
    const applier = applierOf(decider, objects);
    if (applier === undefined) continue;
    const source = rootOf(applier, objects);
    const held = [applier, source].find((object) => bindsObject(binding, object, objects));
    if (held === undefined) continue;
    const who = `${decider.kind}/${keyString(keyOf(decider))}`;
    const message = `${who} is applied by ${label(applier)} from ${label(source)}, and this binding holds ${label(held)}: while the binding is closed, changes to ${who} in Git are not applied. Deliver it from a source that is not held; an override opens the gate in any case`;
    return { type: conditions.selfLockout, status: 'True', reason: 'HoldsItsSource', message };
  }
  return undefined;
}

function applierOf({ metadata }: KubeObject, objects: FluxObjects): FluxObject | undefined {
  const { group, kind } = flux.Kustomization;
  const name = metadata.labels?.[`${group}/name`];
  const namespace = metadata.labels?.[`${group}/namespace`];
  return name === undefined || namespace === undefined ? undefined : objects.get({ kind, namespace, name });
}
