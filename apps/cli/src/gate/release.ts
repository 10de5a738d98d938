import {
  isTyped,
  messageOf,
  type GateBinding,
  type GateHold,
  type GateOverride,
  type KubeObject,
} from '@interlock/api';
import { delay, systemClock } from '@interlock/base';
import { Failure } from '../exit.js';
import { bindingsOf } from './bound.js';
import { loadBindings } from './load.js';
import type { Session } from '../session.js';
import { targetKind } from './target-kinds.js';

const pollMs = 500;
const maxNamed = 5;

type Target = NonNullable<GateOverride['spec']['targets']>[number];

/**
 * Warns about each reason why an override that opens a gate may release fewer objects than its author expects. A user
 * who may open a gate need not be allowed to read what it holds, and the override exists already.
 */
export async function warnOfOpening(session: Session, override: GateOverride): Promise<void> {
  const { progress, io } = session;
  try {
    for (const warning of await warningsOfOpening(session, override)) progress.warning(warning);
  } catch (error) {
    /* At the time limit, the command must not end like one that can be repeated. */
    if (io.signal.aborted) throw error;
    progress.warning(`what Gate ${override.spec.gateRef.name} holds was not checked: ${messageOf(error)}`);
  }
}

/**
 * Returns a sentence for each reason why an override that opens a gate may release fewer objects than its author
 * expects.
 */
async function warningsOfOpening(session: Session, { spec }: GateOverride): Promise<string[]> {
  const { name } = spec.gateRef;
  const { namespace } = session;
  const bindings = await bindingsOfGate(session, name);
  const unbound = await Promise.all((spec.targets ?? []).map((target) => unboundText(session, name, target)));
  const inScope = bindings.filter((binding) => isInScope(binding, spec.targets));
  const suspending =
    spec.revisions === undefined ? [] : inScope.filter(({ spec: { mode } }) => mode === 'Suspend');
  return [
    ...(bindings.length === 0 && spec.revisions !== undefined && spec.targets === undefined
      ? [`no GateBinding in ${namespace} namespace refers to Gate ${name}`]
      : []),
    ...unbound.filter((text) => text !== undefined),
    ...suspending.map(
      ({ metadata }) =>
        `GateBinding ${metadata.name} has mode Suspend, which holds all revisions or none, so its objects stay suspended; open the gate without --revision, or use mode Pin`,
    ),
  ];
}

/** Returns the bindings of a namespace that refer to one of its gates. */
async function bindingsOfGate(session: Session, gate: string): Promise<GateBinding[]> {
  const { namespace } = session;
  const bindings = await loadBindings(session);
  return bindings.filter(({ spec }) =>
    spec.refs.some((ref) => ref.name === gate && (ref.namespace ?? namespace) === namespace),
  );
}

async function unboundText(
  session: Session,
  gate: string,
  { kind, name }: Target,
): Promise<string | undefined> {
  const { client, namespace, signal } = session;
  const label = `${kind.toLowerCase()}/${name}`;
  let object: KubeObject;
  try {
    object = await client.get(targetKind(kind), { namespace, name }, { signal });
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
    return `${label} does not exist in ${namespace} namespace`;
  }
  const bound = await bindingsOf(session, object);
  const refersTo = bound.some(({ binding }) =>
    binding.spec.refs.some(
      (ref) => ref.name === gate && (ref.namespace ?? binding.metadata.namespace) === namespace,
    ),
  );
  return refersTo ? undefined : `Gate ${gate} does not hold ${label}: no GateBinding or annotation binds it`;
}

/**
 * Returns whether a binding may apply to one of the targets. It may apply through a target's source, so if the kinds
 * differ, any object of the kind counts.
 */
function isInScope({ spec }: GateBinding, targets: readonly Target[] | undefined): boolean {
  if (targets === undefined) return true;
  return targets.some(({ kind, name }) =>
    (spec.targets ?? []).some((one) => one.kind !== kind || one.name === undefined || one.name === name),
  );
}

/**
 * Waits until no binding of the gate reports that it holds a target of the override.
 *
 * @throws Failure that names the objects that are still held when the time limit of the session is reached
 */
export async function released(session: Session, { metadata, spec }: GateOverride): Promise<void> {
  const { progress, signal } = session;
  const { name } = spec.gateRef;
  let held: string[] | undefined;
  while (!signal.aborted) {
    const bindings = await polled(session, bindingsOfGate(session, name));
    const found = bindings?.flatMap((binding) => heldBy(binding, spec.targets));
    if (found?.length === 0) return;
    if (held === undefined && found !== undefined)
      progress.waiting(`waiting for the release of ${found.length} held objects`);
    held = found ?? held;
    await delay(systemClock, pollMs, signal);
  }
  if (held === undefined)
    throw new Failure(
      `GateOverride ${metadata.name} is in effect, but what Gate ${name} holds cannot be read; check the API server`,
    );
  const more = held.length > maxNamed ? ` and ${held.length - maxNamed} more` : '';
  throw new Failure(`still held: ${held.slice(0, maxNamed).join('; ')}${more}`);
}

/**
 * Returns the result of a read that is repeated; undefined if the API server cannot answer now, or the time limit is reached. The
 * override exists, so the command must not end like one that can be repeated.
 */
export async function polled<T>({ signal }: Session, read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (signal.aborted || isTyped(error, 'Transient', 'RateLimited')) return undefined;
    throw error;
  }
}

function heldBy({ metadata, spec, status }: GateBinding, targets: readonly Target[] | undefined): string[] {
  if (spec.mode === 'Observe') return [];
  return (status?.holds ?? [])
    .filter(
      ({ kind, name }) =>
        targets === undefined || targets.some((one) => one.kind === kind && one.name === name),
    )
    .map((hold) => `${textOf(hold)} by GateBinding ${metadata.name}: ${status?.message ?? ''}`);
}

function textOf({ kind, name, message }: GateHold): string {
  const label = `${kind.toLowerCase()}/${name}`;
  return message === undefined ? label : `${label} (${message})`;
}
