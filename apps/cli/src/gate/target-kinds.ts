import { fluxResources, PromotionStrategy, type GateTargetKind, type Kind } from '@interlock/api';

/** Returns the API resource of a kind that can be bound. */
export function targetKind(kind: GateTargetKind): Kind {
  return kind === 'PromotionStrategy' ? PromotionStrategy : fluxResources[kind];
}
