import { fluxResources, PromotionStrategy, type GateTargetKind, type Kind } from '@interlock/api';

/** Returns how a kind that can be bound is addressed. */
export function targetKind(kind: GateTargetKind): Kind {
  return kind === 'PromotionStrategy' ? PromotionStrategy : fluxResources[kind];
}
