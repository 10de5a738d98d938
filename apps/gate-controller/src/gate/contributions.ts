import { timestampOf, type GateContribution } from '@interlock/api';
import { truncate } from '@interlock/base';
import type { GateDecision } from '@interlock/gating';

const maxContributions = 64;
const maxText = 1024;

/** Returns the contributions of keepers and overrides for the status of a gate. Pure. */
export function contributionsOf({ contributions }: GateDecision): GateContribution[] {
  return contributions.slice(0, maxContributions).map(({ source, effect, message, next }) => ({
    source,
    effect,
    message: truncate(message, maxText),
    ...(next !== undefined && Number.isFinite(next) && { next: timestampOf(next) }),
  }));
}
