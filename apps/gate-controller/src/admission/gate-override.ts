import { type Gate, type GateOverride } from '@interlock/api';
import { judgeOverrides, problemsOf, type ObjectProblem } from '@interlock/gating';

/** A new override, and the objects that it refers to. */
interface NewOverride {
  override: GateOverride;
  /** Undefined if no gate has that name. */
  gate: Gate | undefined;
  /** The overrides of the gate that have not ended. */
  others: readonly GateOverride[];
}

/**
 * Maximum number of live overrides of one gate, because each of them costs time when the gate is evaluated. Overrides
 * that close the gate are counted separately, with targets and without, so that other overrides cannot prevent a user
 * from closing it.
 */
const maxLive = 256;

/** Returns the problems of a new override, by itself and with regard to its gate. */
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
    problems.push(problem('spec.expiresAt', expiresAt, 'it is in the past; set a later time'));
  }
  if (gate === undefined) {
    const { namespace = '' } = override.metadata;
    const message = `the Gate does not exist in namespace ${namespace}; name an existing one`;
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
      : `the gate has ${others.length} overrides that have not ended; wait for some to end, or close the gate to end them`;
  const isScoped = spec.targets !== undefined;
  const alike = others.filter(
    (other) => other.spec.effect === 'Close' && (other.spec.targets !== undefined) === isScoped,
  );
  if (alike.length < maxLive) return undefined;
  return isScoped
    ? `the gate has ${alike.length} overrides that close it for some targets; delete some, or close it for all targets`
    : `the gate has ${alike.length} overrides that close it, and stays closed while one of them is in force; delete some`;
}

/** Returns warnings about effects of a new override that its author may not expect. */
export function warningsOfNewOverride({ override, gate, others }: NewOverride, now: number): string[] {
  if (gate === undefined || override.spec.effect !== 'Open') return [];
  return judgeOverrides(now, gate, others, { stamps: 'required' })
    .filter((state) => state.override.spec.effect === 'Close' && state.phase === 'Active')
    .map(({ override: { metadata, spec } }) => {
      const scope = spec.targets === undefined ? '' : ' for some targets';
      return `GateOverride ${metadata.name} keeps the gate closed${scope}: this override has no effect until that one ends or is deleted`;
    });
}
