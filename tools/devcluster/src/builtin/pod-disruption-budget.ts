import { objectAt, textAt, valueAt, type KubeObject } from '../object.js';
import type { Resource } from '../registry/resource.js';
import { dateTime, int32, int64, intOrString, listMap, map, object, string } from '../schema/dsl.js';
import { invalid, notSupported, RawJson } from '../schema/field-error.js';
import { goStructJson } from '../schema/json.js';
import type { Cause, JsonObject } from '../schema/types.js';
import { condition } from './meta/condition.js';
import { ageColumn, column, defineKind, nameColumn } from './define.js';
import { validateAtMostAll, validateIntOrPercent } from './int-or-percent.js';
import { labelSelector, validateLabelSelector } from './meta/label-selector.js';
import { nonNegative } from './workload.js';

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];
const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

const schema = object(
  {
    spec: object(
      {
        minAvailable: intOrString('Number or share of the pods that stay available.'),
        selector: {
          ...labelSelector,
          description: 'Which pods the budget is for.',
          'x-kubernetes-patch-strategy': 'replace',
        },
        maxUnavailable: intOrString('Number or share of the pods that may be unavailable.'),
        unhealthyPodEvictionPolicy: string('When pods that are not ready may be evicted.'),
      },
      { description: 'The limit of disruptions.', default: {} },
    ),
    status: object(
      {
        observedGeneration: int64('Generation that the status is about.'),
        disruptedPods: map(dateTime(), 'Pods whose eviction the controller has not observed yet.'),
        disruptionsAllowed: int32('How many pods may be evicted now.'),
        currentHealthy: int32('How many pods are ready.'),
        desiredHealthy: int32('How many pods have to be ready.'),
        expectedPods: int32('How many pods there should be.'),
        conditions: listMap(condition(), ['type'], 'State in detail.'),
      },
      { description: 'The present state of the budget.', default: {} },
    ),
  },
  'Limits how many pods of a set evictions may disrupt at the same time.',
);

/** Returns the spec as the API server prints it in a message. */
function printed({
  minAvailable,
  selector,
  maxUnavailable,
  unhealthyPodEvictionPolicy,
}: JsonObject): RawJson {
  return new RawJson(
    goStructJson([
      ['MinAvailable', minAvailable ?? null],
      ['Selector', selector ?? null],
      ['MaxUnavailable', maxUnavailable ?? null],
      ['UnhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy ?? null],
    ]),
  );
}

function validate(o: KubeObject): Cause[] {
  const spec = objectAt(o, 'spec');
  const { minAvailable, maxUnavailable } = spec;
  const isTwofold = minAvailable !== undefined && maxUnavailable !== undefined;
  const policy = textAt(spec, 'unhealthyPodEvictionPolicy');
  return [
    ...(isTwofold
      ? [invalid('spec', printed(spec), 'minAvailable and maxUnavailable cannot be both set')]
      : []),
    ...['minAvailable', 'maxUnavailable'].flatMap((field) => [
      ...validateIntOrPercent(spec[field], `spec.${field}`),
      ...validateAtMostAll(spec[field], `spec.${field}`),
    ]),
    ...(policy !== '' && !evictionPolicies.includes(policy)
      ? [notSupported('spec.unhealthyPodEvictionPolicy', policy, evictionPolicies)]
      : []),
    ...validateLabelSelector(objectAt(spec, 'selector'), 'spec.selector'),
    ...nonNegative(objectAt(o, 'status'), 'status', counts),
  ];
}

const share = (field: string) => (o: KubeObject) => {
  const value = valueAt(o, 'spec', field);
  return value === undefined ? 'N/A' : String(value);
};

/** policy/v1 PodDisruptionBudget. */
export const podDisruptionBudget: Resource = defineKind({
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  schema,
  columns: [
    nameColumn,
    column('Min Available', 'Pods that stay available.', share('minAvailable')),
    column('Max Unavailable', 'Pods that may be unavailable.', share('maxUnavailable')),
    column(
      'Allowed Disruptions',
      'How many pods may be evicted now.',
      (o) => valueAt(o, 'status', 'disruptionsAllowed') ?? 0,
      'integer',
    ),
    ageColumn,
  ],
  strategy: {
    generation: true,
    status: true,
    unconditionalUpdate: false,
    desired: (o) => o['spec'] ?? null,
    prepareCreate: (o) => {
      o['status'] = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    },
    validate,
  },
});
