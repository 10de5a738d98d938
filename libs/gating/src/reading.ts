import type { Gate, GateState } from '@interlock/api';

/** The state of a gate as a reader evaluates it. */
export interface Reading {
  state: GateState;
  message: string;
}

/**
 * Returns the state of a gate according to its status, as long as the status is valid. After `validUntil`, and
 * without a status, the gate is closed for every reader, and the message explains why.
 */
export function believedState(gate: Gate, now: number): Reading {
  const { status } = gate;
  const { name } = gate.metadata;
  if (status?.state === undefined)
    return {
      state: 'Closed',
      message: `the Gate ${name} has not been evaluated yet; check that the gate-controller is running`,
    };
  const validUntil = Date.parse(status.validUntil ?? '');
  if (Number.isNaN(validUntil) || now >= validUntil)
    return {
      state: 'Closed',
      message: `the status of the Gate ${name} was valid until ${status.validUntil ?? 'an unknown time'}; check that the gate-controller is running`,
    };
  return { state: status.state, message: status.message ?? '' };
}
