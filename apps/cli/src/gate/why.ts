import { Gate, isTyped, type GateOverride, type GateReference, type KubeObject } from '@interlock/api';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import {
  approvedRevisions,
  believedState,
  decideGate,
  decideRequire,
  gateKey,
  verdictOfPromotion,
  type GateReading,
  type KeeperInput,
  type RequireState,
  type Subject,
} from '@interlock/gating';
import { exitCodes, Failure, type ExitCode } from '../exit.js';
import { dataText } from '../output/print.js';
import { inOneLine } from '../output/text.js';
import { bindingsOf, type Bound } from './bound.js';
import { loadGate, loadKeepers, loadOverrides } from './load.js';
import { parseTarget } from './override.js';
import type { Session } from '../session.js';
import { targetKind } from './target-kinds.js';

interface BindingAnswer {
  binding: string;
  mode: string;
  state: RequireState;
  message: string;
  gates: (GateReading & { approved: string[] })[];
  /** An error in the binding, because of which its objects are held. */
  problem?: string;
}

/** Runs `why KIND/NAME`: prints which gates hold an object. Returns 3 if the object is held, otherwise 0. */
export async function why(session: Session, text: string): Promise<ExitCode> {
  const gateName = /^gates?\/(.+)$/i.exec(text)?.[1];
  if (gateName !== undefined) return whyGate(session, gateName);
  const target = parseTarget(text);
  const object = await loadTarget(session, text);
  const bound = await bindingsOf(session, object);
  const answers = await Promise.all(bound.map((one) => answerOf(session, one, target)));
  const held = answers.filter(({ state, mode }) => state !== 'Open' && mode !== 'Observe');
  const state = held.length === 0 ? 'Open' : 'Held';
  const label = `${target.kind.toLowerCase()}/${target.name}`;
  if (session.format !== 'table')
    session.io.stdout(dataText({ object: label, state, bindings: answers }, session.format));
  else session.io.stdout(treeOf(label, state, answers));
  return held.length === 0 ? exitCodes.ok : exitCodes.held;
}

async function answerOf(
  session: Session,
  { name, binding, problem, promotions }: Bound,
  target: Subject,
): Promise<BindingAnswer> {
  const { spec } = binding;
  const own = { ...session, namespace: binding.metadata.namespace ?? session.namespace };
  const known = await Promise.all(
    spec.refs.map(async (ref) => ({ ref, readable: await loadReadable(own, ref) })),
  );
  const answerFor = (subject: Subject) => {
    const gates = known.map(({ ref, readable }) => readGate(session, ref, readable, subject));
    return { ...decideRequire(spec, gates), gates };
  };
  const waiting = promotions ?? [];
  const said =
    waiting.length === 0
      ? [answerFor(target)]
      : waiting.map((promotion) => verdictOfPromotion(answerFor, promotion));
  const answer = said.find(({ state }) => state !== 'Open') ?? said[0] ?? answerFor(target);
  if (problem === undefined) return { binding: name, mode: spec.mode, ...answer };
  return { binding: name, mode: spec.mode, state: 'Unknown', message: problem, gates: answer.gates, problem };
}

/** Runs `why` for a gate itself. */
async function whyGate(session: Session, name: string): Promise<ExitCode> {
  const gate = await loadGate(session, name);
  const [keepers, overrides] = await Promise.all([loadKeepers(session, name), loadOverrides(session, name)]);
  const believed = believedState(gate, session.io.now());
  const decision = decideGate(session.io.now(), gate, keepers, overrides);
  const data = { object: `gate/${name}`, ...believed, contributions: decision.contributions };
  if (session.format !== 'table') session.io.stdout(dataText(data, session.format));
  else {
    const lines = decision.contributions.map(
      ({ source, effect, message }) => `  ${source} ${effect.toLowerCase()}: ${inOneLine(message)}`,
    );
    session.io.stdout(
      [`gate/${name} is ${believed.state.toLowerCase()}: ${inOneLine(believed.message)}`, ...lines, ''].join(
        '\n',
      ),
    );
  }
  return believed.state === 'Open' ? exitCodes.ok : exitCodes.held;
}

async function loadTarget({ client, namespace, signal }: Session, text: string): Promise<KubeObject> {
  const { kind, name } = parseTarget(text);
  try {
    return await client.get(targetKind(kind), { namespace, name }, { signal });
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
    throw new Failure(`${kind} ${name} not found in ${namespace} namespace`);
  }
}

/** A gate that a binding refers to, with the objects that decide its state. */
interface ReadableGate {
  gate: Gate;
  keepers: KeeperInput[];
  overrides: GateOverride[];
}

async function loadReadable(session: Session, ref: GateReference): Promise<OrProblem<ReadableGate>> {
  const namespace = ref.namespace ?? session.namespace;
  const own = { ...session, namespace };
  try {
    const gate = await session.client.get(Gate, { namespace, name: ref.name }, { signal: session.signal });
    if (namespace !== session.namespace && !admits(gate, session.namespace))
      return new Problem(
        'NotAllowed',
        `the Gate does not list ${session.namespace} in its allowedNamespaces`,
      );
    const [keepers, overrides] = await Promise.all([
      loadKeepers(own, ref.name),
      loadOverrides(own, ref.name),
    ]);
    return { gate, keepers, overrides };
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
    return new Problem('NotFound', `Gate ${ref.name} does not exist in ${namespace} namespace`);
  }
}

function readGate(
  { io }: Session,
  ref: GateReference,
  readable: OrProblem<ReadableGate>,
  subject: Subject,
): GateReading & { approved: string[] } {
  if (isProblem(readable)) return { ref, state: 'Unknown', message: readable.message, approved: [] };
  const { gate, keepers, overrides } = readable;
  const now = io.now();
  const believed = believedState(gate, now);
  const scoped = decideGate(now, gate, keepers, overrides, subject);
  const general = decideGate(now, gate, keepers, overrides);
  const isScoped = scoped.cause !== general.cause && scoped.cause.startsWith('GateOverride/');
  const { state, message } = isScoped ? scoped : believed;
  return { ref, state, message, approved: approvedRevisions(now, gate, overrides, subject) };
}

function admits({ spec }: Gate, namespace: string): boolean {
  return (spec.allowedNamespaces ?? []).some((one) => one === '*' || one === namespace);
}

function treeOf(label: string, state: string, answers: readonly BindingAnswer[]): string {
  if (answers.length === 0) return `${label} is open: no GateBinding applies to it\n`;
  const lines = answers.flatMap(({ binding, mode, state: bound, problem, gates }) => [
    `  ${binding} (${mode}) ${problem === undefined ? bound.toLowerCase() : `invalid: ${inOneLine(problem)}`}`,
    ...gates.flatMap((gate) => [
      `    Gate/${gateKey(gate.ref)} ${gate.state.toLowerCase()}: ${inOneLine(gate.message)}`,
      ...gate.approved.map((revision) => `      approved: ${revision}`),
    ]),
  ]);
  return `${[`${label} is ${state.toLowerCase()}`, ...lines].join('\n')}\n`;
}
