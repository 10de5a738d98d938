import { textAt, type KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';
import { forbidden, invalid, notSupported, required } from '../schema/field-error.js';
import { boolean, int32, object, string } from '../schema/dsl.js';
import type { Cause, JsonObject } from '../schema/types.js';
import { ageColumn, column, defineKind, nameColumn } from './define.js';

const systemPrefix = 'system-';
const highestUserValue = 1_000_000_000;
const policies = ['PreemptLowerPriority', 'Never'];

/** The classes of every cluster. */
export const systemPriorityClasses: readonly (JsonObject & { metadata: { name: string }; value: number })[] =
  [
    {
      metadata: { name: 'system-node-critical' },
      value: 2 * highestUserValue + 1000,
      description: 'Used for system critical pods that must not be moved from their current node.',
    },
    {
      metadata: { name: 'system-cluster-critical' },
      value: 2 * highestUserValue,
      description:
        'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    },
  ];

function validate(o: KubeObject): Cause[] {
  return [...validateValue(o), ...validatePolicy(textAt(o, 'preemptionPolicy'))];
}

/** Checks the value. Source: Kubernetes pkg/apis/scheduling/validation, ValidatePriorityClass. */
function validateValue({ metadata: { name }, value, globalDefault }: KubeObject): Cause[] {
  if (name.startsWith(systemPrefix)) {
    const problem = systemProblem(name, Number(value), globalDefault === true);
    if (problem === undefined) return [];
    const why = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`;
    return [forbidden('metadata.name', why)];
  }
  if (Number(value) <= highestUserValue) return [];
  return [forbidden('value', `maximum allowed value of a user defined priority is ${highestUserValue}`)];
}

function systemProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const known = systemPriorityClasses.find(({ metadata }) => metadata.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePolicy(policy: string): Cause[] {
  if (policies.includes(policy)) return [];
  return [policy === '' ? required('preemptionPolicy') : notSupported('preemptionPolicy', policy, policies)];
}

function validateUpdate(o: KubeObject, old: KubeObject): Cause[] {
  const causes: Cause[] = [];
  if (o['value'] !== old['value']) causes.push(forbidden('value', 'may not be changed in an update.'));
  if (o['preemptionPolicy'] !== old['preemptionPolicy']) {
    causes.push(invalid('preemptionPolicy', o['preemptionPolicy'], 'field is immutable'));
  }
  return causes;
}

/** Sets the defaults: Go omits a boolean that is false, and writes a required zero. */
function applyDefaults(o: KubeObject): void {
  if (o['globalDefault'] === false) Reflect.deleteProperty(o, 'globalDefault');
  o['value'] ??= 0;
}

/** scheduling.k8s.io/v1 PriorityClass. */
export const priorityClass: Resource = defineKind({
  group: 'scheduling.k8s.io',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
  shortNames: ['pc'],
  schema: object(
    {
      value: int32('Priority of the pods; higher goes first.'),
      globalDefault: boolean('Whether pods that name no class get this one.'),
      description: string('When to use the class.'),
      preemptionPolicy: string({
        description: 'Never or PreemptLowerPriority.',
        default: 'PreemptLowerPriority',
      }),
    },
    { description: 'A name for a priority of pods.', required: ['value'] },
  ),
  columns: [
    nameColumn,
    column('Value', 'Priority of the pods.', (o) => Number(o['value']), 'integer'),
    column('Global-Default', 'Whether it is the default.', (o) => o['globalDefault'] === true, 'boolean'),
    ageColumn,
    column('PreemptionPolicy', 'Whether lower pods make room.', (o) => textAt(o, 'preemptionPolicy')),
  ],
  strategy: {
    generation: true,
    desired: () => null,
    defaults: applyDefaults,
    validate,
    validateUpdate,
  },
});
