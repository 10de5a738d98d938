import { fluxResources, PromotionStrategy, type GateTargetKind, type Kind } from '@interlock/api';

/** Returns how to address a kind that can be bound. */
export function targetKind(kind: GateTargetKind): Kind {
  return kind === 'PromotionStrategy' ? PromotionStrategy : fluxResources[kind];
}
