import { type Gate, type GateOverride } from '@interlock/api';
import { judgeOverrides, problemsOf, type ObjectProblem } from '@interlock/gating';

/** An override that is to be made, and what it refers to. */
export interface NewOverride {
  override: GateOverride;
  /** Undefined: there is none of that name. */
  gate: Gate | undefined;
  /** Those of the gate that are not over. */
  others: readonly GateOverride[];
}

/**
 * So many overrides of one gate may be live at a time; deciding over a gate takes time for each of them. Those that close
 * the gate count apart, with targets and without, so that nothing else keeps a user from closing it.
 */
const maxLive = 256;

/** Returns what is wrong with a new override, by itself and for its gate. */
export function problemsOfNewOverride({ override, gate, others }: NewOverride, now: number): ObjectProblem[] {
  const { gateRef, expiresAt } = override.spec;
  const problem = (field: string, value: string, message: string): ObjectProblem => ({
    object: `GateOverride/${override.metadata.name}`,
    field,
    value,
    message,
  });
  const problems = problemsOf(override);
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now) {
    problems.push(problem('spec.expiresAt', expiresAt, 'it is in the past; name a later time'));
  }
  if (gate === undefined) {
    const { namespace = '' } = override.metadata;
    const message = `there is no such Gate in namespace ${namespace}; name one that exists`;
    return [...problems, problem('spec.gateRef.name', gateRef.name, message)];
  }
  const tooMany = problemOfCount(override, others);
  if (tooMany !== undefined) problems.push(problem('spec.gateRef.name', gateRef.name, tooMany));
  const [judged] = judgeOverrides(now, gate, [override], { stamps: 'required' });
  return [...problems, ...(judged?.problems ?? [])];
}

function problemOfCount({ spec }: GateOverride, others: readonly GateOverride[]): string | undefined {
  if (spec.effect === 'Open')
    return others.length < maxLive
      ? undefined
      : `the gate has ${others.length} overrides that are not over; wait for some to end, or close the gate to end them`;
  const isScoped = spec.targets !== undefined;
  const alike = others.filter(
    (other) => other.spec.effect === 'Close' && (other.spec.targets !== undefined) === isScoped,
  );
  if (alike.length < maxLive) return undefined;
  return isScoped
    ? `the gate has ${alike.length} overrides that close it for some targets; delete some, or close it for all`
    : `the gate has ${alike.length} overrides that close it, and is closed as long as one of them is in force; delete some`;
}

/** Returns what the maker of an override may not expect. */
export function warningsOfNewOverride({ override, gate, others }: NewOverride, now: number): string[] {
  if (gate === undefined || override.spec.effect !== 'Open') return [];
  return judgeOverrides(now, gate, others, { stamps: 'required' })
    .filter((state) => state.override.spec.effect === 'Close' && state.phase === 'Active')
    .map(({ override: { metadata, spec } }) => {
      const until = spec.targets === undefined ? 'the gate' : 'the gate, for some targets,';
      return `GateOverride ${metadata.name} holds ${until} closed: nothing opens it before that one ends or is deleted`;
    });
}
