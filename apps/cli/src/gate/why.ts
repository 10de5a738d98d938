import {
  annotations,
  Gate,
  isTyped,
  type GateBinding,
  type GateReference,
  type KubeObject,
  matchesLabels,
} from '@interlock/api';
import {
  approvedRevisions,
  believedState,
  decideGate,
  decideRequire,
  gateKey,
  type GateReading,
  type RequireSpec,
  type RequireState,
} from '@interlock/gating';
import { exitCodes, Failure, type ExitCode } from '../exit.js';
import { dataText } from '../output/print.js';
import { loadBindings, loadGate, loadKeepers, loadOverrides } from './load.js';
import { parseTarget } from './override.js';
import type { Session } from '../session.js';
import { targetKind } from './target-kinds.js';

interface BindingAnswer {
  binding: string;
  mode: string;
  state: RequireState;
  message: string;
  gates: (GateReading & { approved: string[] })[];
}

/** `why KIND/NAME`: says which gates hold an object. @returns 0 when it is open, 3 when it is held. */
export async function why(session: Session, text: string): Promise<ExitCode> {
  const gateName = /^gates?\/(.+)$/i.exec(text)?.[1];
  if (gateName !== undefined) return whyGate(session, gateName);
  const target = parseTarget(text);
  const object = await loadTarget(session, text);
  const bindings = (await loadBindings(session)).filter((binding) => binds(binding, object));
  const specs = [
    ...bindings.map(({ metadata, spec }) => ({
      name: `GateBinding/${metadata.name}`,
      mode: spec.mode,
      spec,
    })),
    ...annotated(object),
  ];
  const answers = await Promise.all(
    specs.map(async ({ name, mode, spec }): Promise<BindingAnswer> => {
      const gates = await Promise.all(spec.refs.map((ref) => readGate(session, ref, target)));
      return { binding: name, mode, ...decideRequire(spec, gates), gates };
    }),
  );
  const held = answers.filter(({ state, mode }) => state !== 'Open' && mode !== 'Observe');
  const state = held.length === 0 ? 'Open' : 'Held';
  const label = `${target.kind.toLowerCase()}/${target.name}`;
  if (session.format !== 'table')
    session.io.stdout(dataText({ object: label, state, bindings: answers }, session.format));
  else session.io.stdout(treeOf(label, state, answers));
  return held.length === 0 ? exitCodes.ok : exitCodes.held;
}

/** The same for a gate itself. */
async function whyGate(session: Session, name: string): Promise<ExitCode> {
  const gate = await loadGate(session, name);
  const [keepers, overrides] = await Promise.all([loadKeepers(session, name), loadOverrides(session, name)]);
  const believed = believedState(gate, session.io.now());
  const decision = decideGate(session.io.now(), gate, keepers, overrides);
  const data = { object: `gate/${name}`, ...believed, contributions: decision.contributions };
  if (session.format !== 'table') session.io.stdout(dataText(data, session.format));
  else {
    const lines = decision.contributions.map(
      ({ source, effect, message }) => `  ${source} ${effect.toLowerCase()}: ${message}`,
    );
    session.io.stdout(
      [`gate/${name} is ${believed.state.toLowerCase()}: ${believed.message}`, ...lines, ''].join('\n'),
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

function binds({ spec }: GateBinding, { kind, metadata }: KubeObject): boolean {
  return (spec.targets ?? []).some(
    (target) =>
      target.kind === kind &&
      (target.name === undefined || target.name === metadata.name) &&
      (target.selector === undefined || matchesLabels(target.selector, metadata.labels)),
  );
}

/** A source that names its gates in an annotation is bound without a GateBinding. */
function annotated({ metadata }: KubeObject): { name: string; mode: string; spec: RequireSpec }[] {
  const names = metadata.annotations?.[annotations.gates]?.split(',').map((name) => name.trim()) ?? [];
  const refs = names.filter((name) => name !== '').map((name) => ({ name }));
  if (refs.length === 0) return [];
  const text = metadata.annotations?.[annotations.require];
  const require = text === 'any' || text === 'oneOf' ? text : 'all';
  return [{ name: `annotation ${annotations.gates}`, mode: 'Suspend', spec: { refs, require } }];
}

async function readGate(
  session: Session,
  ref: GateReference,
  target: { kind: string; name: string },
): Promise<GateReading & { approved: string[] }> {
  const namespace = ref.namespace ?? session.namespace;
  const own = { ...session, namespace };
  try {
    const gate = await session.client.get(Gate, { namespace, name: ref.name }, { signal: session.signal });
    if (namespace !== session.namespace && !admits(gate, session.namespace))
      return {
        ref,
        state: 'Unknown',
        message: `the Gate does not list ${session.namespace} in its allowedNamespaces`,
        approved: [],
      };
    const [keepers, overrides] = await Promise.all([
      loadKeepers(own, ref.name),
      loadOverrides(own, ref.name),
    ]);
    const now = session.io.now();
    const believed = believedState(gate, now);
    const scoped = decideGate(now, gate, keepers, overrides, target);
    const general = decideGate(now, gate, keepers, overrides);
    const isScoped = scoped.cause !== general.cause && scoped.cause.startsWith('GateOverride/');
    const { state, message } = isScoped ? scoped : believed;
    return { ref, state, message, approved: approvedRevisions(now, gate, overrides, target) };
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
    return {
      ref,
      state: 'Unknown',
      message: `there is no Gate ${ref.name} in ${namespace} namespace`,
      approved: [],
    };
  }
}

function admits({ spec }: Gate, namespace: string): boolean {
  return (spec.allowedNamespaces ?? []).some((one) => one === '*' || one === namespace);
}

function treeOf(label: string, state: string, answers: readonly BindingAnswer[]): string {
  if (answers.length === 0) return `${label} is open: no GateBinding binds it\n`;
  const lines = answers.flatMap(({ binding, mode, state: bound, gates }) => [
    `  ${binding} (${mode}) ${bound.toLowerCase()}`,
    ...gates.flatMap((gate) => [
      `    Gate/${gateKey(gate.ref)} ${gate.state.toLowerCase()}: ${gate.message}`,
      ...gate.approved.map((revision) => `      approved: ${revision}`),
    ]),
  ]);
  return `${[`${label} is ${state.toLowerCase()}`, ...lines].join('\n')}\n`;
}
