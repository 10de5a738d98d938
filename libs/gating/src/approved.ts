import type { Gate, GateOverride } from '@interlock/api';
import { judgeOverrides } from './override/judge.js';
import type { DecideOptions, Subject } from './types.js';

/**
 * Returns the revisions that overrides in force allow the subject to take while the gate is closed. There are none
 * while a Close is in force for the subject.
 */
export function approvedRevisions(
  now: number,
  gate: Gate,
  overrides: readonly GateOverride[],
  subject: Omit<Subject, 'revision'>,
  options: Pick<DecideOptions, 'stamps'> = {},
): string[] {
  const inForce = judgeOverrides(now, gate, overrides, options)
    .filter(({ phase }) => phase === 'Active')
    .map(({ override }) => override);
  const isClosed = inForce.some(({ spec }) => spec.effect === 'Close' && appliesToTarget(spec, subject));
  if (isClosed) return [];
  const opening = inForce.filter(({ spec }) => spec.effect === 'Open' && appliesToTarget(spec, subject));
  return [...new Set(opening.flatMap(({ spec }) => spec.revisions ?? []))];
}

function appliesToTarget(spec: GateOverride['spec'], subject: Omit<Subject, 'revision'>): boolean {
  return (
    spec.targets === undefined ||
    spec.targets.some(({ kind, name }) => kind === subject.kind && name === subject.name)
  );
}
