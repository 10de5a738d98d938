import { keyOf, keyString, typeMeta } from '@interlock/api';
import type { Table } from '../output/table.js';
import { visible } from '../output/visible.js';
import type { Result } from './act.js';
import type { Plan, Step } from './decide.js';
import type { Observed } from './observed.js';

const verbs: Readonly<Record<Step['action'], string>> = {
  release: 'release',
  removeFinalizers: 'remove finalizer',
  delete: 'delete',
};

/** Returns the plan as a table. Deletions without a note are counted by kind and namespace. */
export function planTable(steps: readonly Step[]): Table {
  const groups = new Map<string, Step[]>();
  for (const step of steps) {
    const isPlain = step.action === 'delete' && step.note === '';
    const place = `${step.kind.plural}.${step.kind.group} ${step.object.metadata.namespace ?? ''}`;
    const key = isPlain ? place : step.id;
    groups.set(key, [...(groups.get(key) ?? []), step]);
  }
  return {
    headers: ['ACTION', 'NAMESPACE', 'KIND', 'NAME', 'NOTE'],
    rows: [...groups.values()].flatMap((group) => {
      const [step] = group;
      return step === undefined ? [] : [rowOf(step, group.length)];
    }),
  };
}

function rowOf(step: Step, count: number): string[] {
  const { namespace = '', name } = step.object.metadata;
  const what = count === 1 ? name : `${count} objects`;
  return [verbs[step.action], namespace, step.kind.kind, what, visible(noteOf(step))];
}

function noteOf({ action, object, note }: Step): string {
  const { deletionTimestamp } = object.metadata;
  if (action !== 'removeFinalizers' || deletionTimestamp === undefined) return note;
  return `being deleted since ${deletionTimestamp}; ${note}`;
}

/** Returns one line about a step. */
export function stepText({ action, kind, object, note }: Step): string {
  const what = `${verbs[action]}: ${kind.kind} ${keyString(keyOf(object))}`;
  return visible(note === '' ? what : `${what} (${note})`);
}

/** Returns the plan and its results as data for `-o json`. */
export function planData(
  { namespace, unread }: Observed,
  { running, steps, kept }: Plan,
  results: ReadonlyMap<string, Result> = new Map(),
): object {
  return {
    ...(namespace !== undefined && { namespace }),
    running,
    unread,
    steps: steps.map((step) => ({ ...stepData(step), ...results.get(step.id) })),
    kept,
  };
}

function stepData({ action, kind, object, finalizers, note }: Step): object {
  const { namespace, name, deletionTimestamp } = object.metadata;
  return {
    action,
    ...typeMeta(kind),
    ...(namespace !== undefined && { namespace }),
    name,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(finalizers && { finalizers }),
    ...(note !== '' && { note }),
  };
}
