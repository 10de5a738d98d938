import { annotations, type Gate, type GateOverride } from '@interlock/api';
import * as z from 'zod';
import type { Stamps } from '../types.js';

const users = z.array(z.string().max(256)).max(16);

/** Returns the users who approved an override, as recorded by admission. */
export function approversOf({ metadata }: Pick<GateOverride, 'metadata'>): string[] {
  try {
    return users.safeParse(JSON.parse(metadata.annotations?.[annotations.approvedBy] ?? '[]')).data ?? [];
  } catch {
    return [];
  }
}

/**
 * Returns how many approvals an override lacks. Approvals that admission did not authenticate do not count, and
 * neither do approvals by its author.
 */
export function missingApprovals(gate: Gate, override: GateOverride, stamps: Stamps): number {
  const { requiredApprovals = 0 } = gate.spec;
  if (requiredApprovals === 0 || override.spec.effect !== 'Open') return 0;
  const maker = override.metadata.annotations?.[annotations.actor];
  const approvers = stamps === 'ignored' ? [] : approversOf(override).filter((user) => user !== maker);
  return Math.max(0, requiredApprovals - new Set(approvers).size);
}
