import type { FluxKind, GateBinding } from '@interlock/api';

/** Returns the kinds that a binding may apply to. */
export function kindsOf({ spec }: GateBinding): FluxKind[] {
  const named = (spec.targets ?? []).flatMap(({ kind }) => (kind === 'PromotionStrategy' ? [] : [kind]));
  const appliers: FluxKind[] = spec.scope === 'All' ? ['Kustomization', 'HelmRelease'] : [];
  const charts: FluxKind[] = named.includes('HelmRepository') ? ['HelmChart'] : [];
  return [...new Set([...named, ...appliers, ...charts])];
}
