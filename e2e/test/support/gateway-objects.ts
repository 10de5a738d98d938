import type { KubeObject } from '@interlock/api';
import { groupOf, type Acceptance, type Refusal } from './gateway-fields.js';

type Content = Record<string, unknown>;

/** A row of a table, with its object. */
interface FieldRow {
  title: string;
  /** The field in the refusal. */
  field: string;
  message: string | RegExp;
  object: KubeObject;
}

/** Returns the rows of tables. Rows of RunnerGroups apply to a separate object and to a group of a gateway. */
export function rowsOf(
  namespace: string,
  ofGateways: readonly (Refusal | Acceptance)[],
  ofGroups: readonly (Refusal | Acceptance)[],
): FieldRow[] {
  return [
    ...ofGateways.map((row) => rowOf(leastGateway(namespace), '', row)),
    ...ofGroups.flatMap((row) => [
      rowOf(leastGroup(namespace), 'spec.', row),
      rowOf(leastGateway(namespace), 'spec.runnerGroups[0].', row),
    ]),
  ];
}

function rowOf(least: KubeObject, path: string, row: Refusal | Acceptance): FieldRow {
  const [name, value, message = '', besides] = row as Refusal;
  const field = `${path}${name}`;
  const changed = withField(least, field, value);
  return {
    title: `${field}: ${JSON.stringify(value)?.slice(0, 60) ?? 'nothing'}`,
    ...{ field, message },
    object: besides === undefined ? changed : withField(changed, `${path}${besides[0]}`, besides[1]),
  };
}

/** Returns a minimal ActionsGateway with one RunnerGroup. */
export function leastGateway(namespace: string, name = 'gateway'): KubeObject {
  const spec = {
    gitHubAppRef: { name: 'github-app' },
    gitHubURL: 'https://github.com/acme',
    runnerGroups: [groupOf('linux')],
  };
  return { ...kindOf('ActionsGateway'), metadata: { name, namespace }, spec } as KubeObject;
}

/** Returns a minimal RunnerGroup. */
export function leastGroup(namespace: string): KubeObject {
  const metadata = { name: 'linux', namespace };
  return { ...kindOf('RunnerGroup'), metadata, spec: groupOf('linux') } as KubeObject;
}

function kindOf(kind: string) {
  return { apiVersion: 'actions-gateway.github.com/v1alpha1', kind };
}

/* The parent values that a field requires. */
const surroundings: Readonly<Record<string, unknown>> = {
  priorityTiers: [{ priorityClassName: 'class', threshold: 5 }],
  scaleUp: { maxPerSecond: 1 },
};

/** Returns a copy of an object in which a field, such as `spec.list[0].name`, has a value; undefined removes it. */
export function withField(object: KubeObject, field: string, value: unknown): KubeObject {
  const copy = structuredClone(object);
  const path = field.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  const last = path.pop() ?? '';
  let at = copy as unknown as Content;
  path.forEach((step, index) => {
    const isList = /^\d+$/.test(path[index + 1] ?? last);
    at[step] ??= surroundings[step] === undefined ? (isList ? [] : {}) : structuredClone(surroundings[step]);
    /* A pod has containers. */
    if (step === 'spec' && path[index - 1] === 'podTemplate')
      (at[step] as Content)['containers'] ??= [{ name: 'runner' }];
    at = at[step] as Content;
  });
  /* JSON has no undefined. */
  at[last] = value;
  return copy;
}
