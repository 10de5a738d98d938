import type { Gate, GateState } from '@interlock/api';

/** What a reader makes of a gate. */
export interface Reading {
  state: GateState;
  message: string;
}

/**
 * Returns the state of a gate as its status says, as long as that may be believed. Past `validUntil`, and without a
 * status, the gate is closed for every reader, and the message says why.
 */
export function believedState(gate: Gate, now: number): Reading {
  const { status } = gate;
  const { name } = gate.metadata;
  if (status?.state === undefined)
    return {
      state: 'Closed',
      message: `the Gate ${name} has not been evaluated yet; is the gate-controller running?`,
    };
  const validUntil = Date.parse(status.validUntil ?? '');
  if (Number.isNaN(validUntil) || now >= validUntil)
    return {
      state: 'Closed',
      message: `what is known about the Gate ${name} was right until ${status.validUntil ?? 'an unknown time'}; is the gate-controller running?`,
    };
  return { state: status.state, message: status.message ?? '' };
}
