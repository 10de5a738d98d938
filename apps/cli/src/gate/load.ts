import {
  Gate,
  GateBinding,
  GateKeeper,
  GateOverride,
  isTyped,
  messageOf,
  type KubeObject,
} from '@interlock/api';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import { CalendarReader, type CalendarEvents, type KeeperInput } from '@interlock/gating';
import { ConfigMap } from '@interlock/kube';
import { Failure } from '../exit.js';
import { loadAll, loadAny } from '../load.js';
import type { Session } from '../session.js';

/**
 * Returns the gate.
 *
 * @throws Failure that lists the existing gates
 */
export async function loadGate({ client, namespace, signal }: Session, name: string): Promise<Gate> {
  try {
    return await client.get(Gate, { namespace, name }, { signal });
  } catch (error) {
    if (!isTyped(error, 'NotFound')) throw error;
    const { items } = await client.list(Gate, { namespace, signal });
    const names = items.map(({ metadata }) => metadata.name).join(', ');
    throw new Failure(
      `Gate ${name} not found in ${namespace} namespace; ${names === '' ? 'the namespace has no gates' : `existing gates are ${names}`}`,
    );
  }
}

/**
 * Returns the keepers of a gate, with the calendars and resources that they refer to.
 *
 * @param at the time for which they are evaluated, in ms since the epoch; defaults to now
 */
export async function loadKeepers(session: Session, gate: string, at?: number): Promise<KeeperInput[]> {
  const keepers = await loadAll(session, GateKeeper, { namespace: session.namespace });
  const reader = new CalendarReader();
  try {
    const own = keepers.filter(({ spec }) => spec.gate === gate);
    return await Promise.all(
      own.map((keeper) => readKeeper(session, keeper, reader, at ?? session.io.now())),
    );
  } finally {
    await reader.close();
  }
}

/** Returns the overrides of a gate. */
export async function loadOverrides(session: Session, gate: string): Promise<GateOverride[]> {
  const overrides = await loadAll(session, GateOverride, { namespace: session.namespace });
  return overrides.filter(({ spec }) => spec.gateRef.name === gate);
}

export function loadBindings(session: Session): Promise<GateBinding[]> {
  return loadAll(session, GateBinding, { namespace: session.namespace });
}

async function readKeeper(
  session: Session,
  keeper: GateKeeper,
  reader: CalendarReader,
  at: number,
): Promise<KeeperInput> {
  const { calendar, expression } = keeper.spec;
  if (calendar !== undefined) {
    const read = await readText(session, calendar);
    return { keeper, calendar: await eventsOf(session, calendar, read, reader, at) };
  }
  if (expression !== undefined) return { keeper, over: await readOver(session, keeper, expression.over) };
  return { keeper };
}

function eventsOf(
  { namespace }: Session,
  { timeZone }: NonNullable<GateKeeper['spec']['calendar']>,
  text: OrProblem<string>,
  reader: CalendarReader,
  at: number,
): OrProblem<CalendarEvents> | Promise<OrProblem<CalendarEvents>> {
  if (isProblem(text)) return new Problem(text.reason, `the calendar cannot be read: ${text.message}`);
  return reader.read(namespace, text, timeZone, at);
}

async function readText(
  { client, namespace, signal }: Session,
  calendar: NonNullable<GateKeeper['spec']['calendar']>,
): Promise<OrProblem<string>> {
  const { configMapRef } = calendar;
  if (configMapRef === undefined)
    return new Problem('NotReadable', 'only the controller reads calendars by URL');
  const { name, key } = configMapRef;
  try {
    const { data } = await client.get(ConfigMap, { namespace, name }, { signal });
    return data?.[key] ?? new Problem('NotFound', `the ConfigMap ${name} has no key ${key}`);
  } catch (error) {
    return new Problem('NotReadable', messageOf(error));
  }
}

async function readOver(
  session: Session,
  keeper: GateKeeper,
  { apiVersion, kind, name }: NonNullable<GateKeeper['spec']['expression']>['over'],
): Promise<OrProblem<KubeObject>> {
  const namespace = keeper.metadata.namespace ?? session.namespace;
  try {
    return await loadAny(session, { apiVersion, kind, namespace, name });
  } catch (error) {
    return new Problem('NotReadable', messageOf(error));
  }
}
