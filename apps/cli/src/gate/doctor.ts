import {
  conditions,
  Gate,
  GateBinding,
  GateKeeper,
  GateOverride,
  type Condition,
  type KubeObject,
} from '@interlock/api';
import { believedState, neverOpenTogether, problemsOf, warningsOf } from '@interlock/gating';
import { durationFlag } from '../duration.js';
import { exitCodes, Failure, type ExitCode } from '../exit.js';
import { print } from '../output/print.js';
import { loadAll, namespaceExists } from '../load.js';
import type { Session } from '../session.js';

interface Finding {
  severity: 'error' | 'warning';
  object: string;
  message: string;
}

interface Objects {
  gates: Gate[];
  keepers: GateKeeper[];
  overrides: GateOverride[];
  bindings: GateBinding[];
}

const headers = ['SEVERITY', 'OBJECT', 'MESSAGE'];

/** Runs `doctor`: finds errors and forgotten objects. Returns 1 if there is an error. */
export async function doctor(session: Session, options: { holdAge: string }): Promise<ExitCode> {
  const holdAgeMs = durationFlag('--hold-age', options.holdAge);
  /* A missing namespace has no objects either. A user who may read gates may not be allowed to read namespaces. */
  if (!(await namespaceExists(session, session.namespace)))
    throw new Failure(`namespace ${session.namespace} not found`);
  const scope = { namespace: session.namespace };
  const [gates, keepers, overrides, bindings] = await Promise.all([
    loadAll(session, Gate, scope),
    loadAll(session, GateKeeper, scope),
    loadAll(session, GateOverride, scope),
    loadAll(session, GateBinding, scope),
  ]);
  const now = session.io.now();
  const findings = diagnose({ gates, keepers, overrides, bindings }, now, holdAgeMs);
  const rows = findings.map(({ severity, object, message }) => [severity, object, message]);
  print(session.io, session.format, { findings }, { headers, rows });
  if (findings.length === 0) session.progress.success(`no problems found in ${session.namespace} namespace`);
  return findings.some(({ severity }) => severity === 'error') ? exitCodes.failed : exitCodes.ok;
}

/** Returns the findings in a namespace, by object. */
function diagnose(objects: Objects, now: number, holdAgeMs: number): Finding[] {
  const names = new Set(objects.gates.map(({ metadata }) => metadata.name));
  return [
    ...objects.gates.flatMap((gate) => [
      ...ofGate(gate, now),
      ...ofKeepersTogether(gate, objects.keepers, now),
    ]),
    ...objects.keepers.flatMap((keeper) => ofKeeper(keeper, names, now)),
    ...objects.overrides.flatMap((override) => ofOverride(override, names)),
    ...objects.bindings.flatMap((binding) => ofBinding(binding, names, now, holdAgeMs)),
  ];
}

const nameOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.name}`;

function errors(object: KubeObject, messages: readonly string[]): Finding[] {
  return messages.map((message) => ({ severity: 'error', object: nameOf(object), message }));
}

function warnings(object: KubeObject, messages: readonly string[]): Finding[] {
  return messages.map((message) => ({ severity: 'warning', object: nameOf(object), message }));
}

function notReady(object: KubeObject & { status?: { conditions?: Condition[] | undefined } }): string[] {
  const ready = object.status?.conditions?.find(({ type }) => type === conditions.ready);
  return ready?.status === 'False' ? [`not ready: ${ready.message}`] : [];
}

function wrong(object: Gate | GateKeeper | GateBinding): string[] {
  return problemsOf(object).map(({ field, message }) => `${field}: ${message}`);
}

function ofGate(gate: Gate, now: number): Finding[] {
  const { state, message } = believedState(gate, now);
  const isUnknown = gate.status?.state !== undefined && state !== gate.status.state;
  const late = gate.status?.state === undefined || isUnknown ? [message] : [];
  return errors(gate, [...wrong(gate), ...late, ...notReady(gate)]);
}

function ofKeepersTogether(gate: Gate, keepers: readonly GateKeeper[], now: number): Finding[] {
  const problem = neverOpenTogether(gate, keepers, now);
  return problem === undefined ? [] : errors(gate, [problem]);
}

function ofKeeper(keeper: GateKeeper, gates: ReadonlySet<string>, now: number): Finding[] {
  const { gate } = keeper.spec;
  const missing = gates.has(gate)
    ? []
    : [`spec.gate: Gate ${gate} does not exist; create it, or correct the name`];
  const problems = wrong(keeper);
  return [
    ...errors(keeper, [...missing, ...(problems.length > 0 ? problems : notReady(keeper))]),
    ...warnings(keeper, warningsOf(keeper, now)),
  ];
}

function ofOverride(override: GateOverride, gates: ReadonlySet<string>): Finding[] {
  const { name } = override.spec.gateRef;
  const { phase, message = '' } = override.status ?? {};
  const rejected = phase === 'Rejected' ? [`rejected: ${message}`] : [];
  const missing = gates.has(name) ? [] : [`spec.gateRef.name: Gate ${name} does not exist`];
  const isHold =
    override.spec.effect === 'Close' && phase === 'Active' && override.status?.expiresAt === undefined;
  const hold = isHold
    ? [`it keeps Gate ${name} closed until the override is deleted: ${override.spec.reason}`]
    : [];
  return [...errors(override, missing), ...warnings(override, [...rejected, ...hold])];
}

const troubles: readonly string[] = [conditions.conflict, conditions.gateSkew, conditions.selfLockout];

function ofBinding(
  binding: GateBinding,
  gates: ReadonlySet<string>,
  now: number,
  holdAgeMs: number,
): Finding[] {
  const { spec, status, metadata } = binding;
  const missing = spec.refs
    .filter(
      ({ name, namespace }) => (namespace ?? metadata.namespace) === metadata.namespace && !gates.has(name),
    )
    .map(
      ({ name }) =>
        `spec.refs: Gate ${name} does not exist, so the bound objects are held; create it, or correct the name`,
    );
  const trouble = (status?.conditions ?? [])
    .filter(({ type, status: is }) => troubles.includes(type) && is === 'True')
    .map(({ type, message }) => `${type}: ${message}`);
  const forgotten = (status?.holds ?? [])
    .filter(({ since }) => now - Date.parse(since) > holdAgeMs)
    .map(({ kind, name, since }) => `${kind.toLowerCase()}/${name} has been held since ${since}`);
  const empty =
    status?.targetCount === 0 ? ['it binds no object; check the kind, name and labels of its targets'] : [];
  const first =
    spec.mode === 'Suspend' && status?.targetCount === undefined
      ? ['it has not held anything yet; with mode Observe it only reports what it would hold']
      : [];
  return [
    ...errors(binding, [...wrong(binding), ...missing, ...notReady(binding)]),
    ...warnings(binding, [...trouble, ...forgotten, ...empty, ...first]),
  ];
}
