import type { GateOverride, GateOverrideStatus } from '@interlock/api';
import type { Logger } from '@interlock/base';
import { logSubject } from '../log-subject.js';

/** Logs that an override has entered the phase in its status. */
export function logPhase(log: Logger, override: GateOverride, status: GateOverrideStatus): void {
  const { gateRef, effect, reason, ticket, targets, revisions } = override.spec;
  const { phase = 'Pending', actor = 'unverified', message, expiresAt, released } = status;
  log.info(
    {
      ...logSubject(override),
      gate: gateRef.name,
      effect,
      phase,
      actor,
      reason,
      ticket,
      ...(targets && { targets }),
      ...(revisions && { revisions }),
      expiresAt,
      ...(released && { released }),
      message,
    },
    `override ${phase.toLowerCase()}: '${reason}'`,
  );
}
