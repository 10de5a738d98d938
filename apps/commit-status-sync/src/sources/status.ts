import type { Condition, SourcePhase } from '@interlock/api';
import type { Problem } from '@interlock/base';
import { markProblem, markReady } from '@interlock/kube';
import type { Source } from './model.js';

/** Returns the conditions of a source: Ready when it reports on all environments. */
export function sourceConditions(
  { status, metadata }: Source,
  problem: Problem | undefined,
  environments: readonly { branch: string; phase: SourcePhase }[],
  now: number,
): Condition[] {
  const known = status?.conditions;
  if (problem !== undefined) return markProblem(known, problem, metadata.generation, now);
  const message = environments.map(({ branch, phase }) => `${branch}: ${phase}`).join(', ');
  return markReady(known, { reason: 'Reported', message }, metadata.generation, now);
}
