import { messageOf, type GateBinding, type GateReference } from '@interlock/api';
import { childrenOf, compileCondition, type Node } from '@interlock/cel';

export type RequireState = 'Open' | 'Closed' | 'Unknown';

/** The part of a binding that determines which gates must be open. */
type RequireSpec = Pick<GateBinding['spec'], 'require' | 'expr' | 'refs'>;

/** The reading of one gate of a binding. Unknown: the gate does not exist, or the binding may not refer to it. */
export interface GateReading {
  ref: GateReference;
  state: RequireState;
  message: string;
}

interface RequireDecision {
  /** Callers treat Unknown as Closed. */
  state: RequireState;
  /** A sentence that names the deciding gates. */
  message: string;
}

/** Returns the name of a gate in `expr`: its name, prefixed by its namespace if the reference has one. */
export function gateKey(ref: GateReference): string {
  return ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;
}

/**
 * Combines the gates of a binding in three-valued logic: an Unknown gate only counts if the others do not decide.
 *
 * @param readings one for each of `refs`; a missing one is Unknown
 */
export function decideRequire(spec: RequireSpec, readings: readonly GateReading[]): RequireDecision {
  const gates = spec.refs.map((ref) => readingOf(ref, readings));
  if (spec.expr !== undefined) return decideExpr(spec.expr, gates);
  const is = (state: RequireState) => gates.filter((gate) => gate.state === state);
  const [open, closed, unknown] = [is('Open'), is('Closed'), is('Unknown')];
  if (spec.require === 'any' || spec.require === 'oneOf') {
    if (open.length > 0) return { state: 'Open', message: `open by ${names(open)}` };
    if (unknown.length > 0) return { state: 'Unknown', message: explain(unknown) };
    return { state: 'Closed', message: `none is open: ${explain(closed)}` };
  }
  if (closed.length > 0) return { state: 'Closed', message: explain(closed) };
  if (unknown.length > 0) return { state: 'Unknown', message: explain(unknown) };
  return { state: 'Open', message: `open: ${names(open)}` };
}

function readingOf(ref: GateReference, readings: readonly GateReading[]): GateReading {
  const key = gateKey(ref);
  const found = readings.find((reading) => gateKey(reading.ref) === key);
  return found ?? { ref, state: 'Unknown', message: `the Gate ${key} has not been read yet` };
}

function names(gates: readonly GateReading[]): string {
  return gates.map(({ ref }) => gateKey(ref)).join(', ');
}

function explain(gates: readonly GateReading[]): string {
  return gates
    .map(
      ({ ref, state, message }) =>
        `${gateKey(ref)} is ${state.toLowerCase()}${message === '' ? '' : ` (${message})`}`,
    )
    .join('; ');
}

const compile = (expr: string) => compileCondition(expr, { gates: 'map<string, bool>' });

/**
 * Evaluates the expression without the Unknown gates in the map. CEL's own rules do the rest: an error is absorbed by
 * the side of `||` or `&&` that decides without it (CEL specification, "Logical operators").
 */
function decideExpr(expr: string, gates: readonly GateReading[]): RequireDecision {
  const wrong = problemOfExpr(
    expr,
    gates.map(({ ref }) => ref),
  );
  if (wrong !== undefined) return { state: 'Unknown', message: wrong };
  const known = gates.filter(({ state }) => state !== 'Unknown');
  const values = Object.fromEntries(
    known.flatMap(({ ref, state }) => keysOf(ref, gates).map((key) => [key, state === 'Open'])),
  );
  const all = explain(gates);
  try {
    const open = compile(expr).evaluate({ gates: values });
    return { state: open ? 'Open' : 'Closed', message: `${expr} is ${open}: ${all}` };
  } catch {
    return { state: 'Unknown', message: `${expr} cannot be evaluated: ${all}` };
  }
}

/**
 * Returns the keys of a gate: a gate of another namespace can also be referenced by its name alone if no other gate has
 * that name.
 */
function keysOf(ref: GateReference, gates: readonly { ref: GateReference }[]): string[] {
  const unique = gates.filter((gate) => gate.ref.name === ref.name).length === 1;
  return unique && ref.namespace !== undefined ? [gateKey(ref), ref.name] : [gateKey(ref)];
}

/** Returns the problem with an expression over these gates; undefined if there is none. */
export function problemOfExpr(expr: string, refs: readonly GateReference[]): string | undefined {
  try {
    const { ast } = compile(expr);
    const gates = refs.map((ref) => ({ ref }));
    const known = new Set(refs.flatMap((ref) => keysOf(ref, gates)));
    const stranger = gatesIn(ast).find((name) => !known.has(name));
    if (stranger !== undefined) throw new Error(`refs does not list the gate ${JSON.stringify(stranger)}`);
    return undefined;
  } catch (error) {
    return `${JSON.stringify(expr)} is not a CEL expression over the gates: ${messageOf(error)}; write one such as gates['freeze'] || gates['signoff'], with names listed in refs`;
  }
}

/**
 * Returns the names of the gates that an expression uses.
 *
 * @throws Error when it uses `gates` other than by name, so that the gates cannot be determined
 */
function gatesIn(node: Node): string[] {
  if (node.op === '.' || node.op === '[]') {
    const [of, key] = node.args;
    if (of.op === 'id' && of.args === 'gates') {
      const name = typeof key === 'string' ? key : key.op === 'value' ? key.args : undefined;
      if (typeof name === 'string') return [name];
    }
  }
  if (node.op === 'id' && node.args === 'gates')
    throw new Error("gates must be followed by a name, as in gates['freeze']");
  return childrenOf(node.args).flatMap(gatesIn);
}
