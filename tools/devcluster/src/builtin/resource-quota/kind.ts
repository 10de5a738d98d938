import { quantityOf } from '@interlock/api/quantities';
import { objectAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { atomic, list, map, object, quantity, string } from '../../schema/dsl.js';
import { ageColumn, column, defineKind, nameColumn } from '../define.js';
import { validateResourceQuota, validateResourceQuotaUpdate } from './validation.js';

const scopeRequirement = object(
  {
    scopeName: string('Name of the scope.'),
    operator: string('In, NotIn, Exists or DoesNotExist.'),
    values: list(string(), 'Values to compare with.'),
  },
  { required: ['scopeName', 'operator'] },
);

const schema = object(
  {
    spec: object(
      {
        hard: map(quantity(), 'The most of each resource.'),
        scopes: list(string(), 'What objects must have to be counted.'),
        scopeSelector: atomic(
          object({ matchExpressions: list(scopeRequirement) }, 'Scopes with operators and values.'),
        ),
      },
      { description: 'What is limited.', default: {} },
    ),
    status: object(
      {
        hard: map(quantity(), 'The limits that are enforced.'),
        used: map(quantity(), 'What the namespace uses.'),
      },
      { description: 'Enforced limits and usage.', default: {} },
    ),
  },
  'Limits what a namespace uses.',
);

/** Returns `pods: 1/4, requests.cpu: 500m/1`, for limits or for all other resources. */
function usageText(quota: KubeObject, isLimits: boolean): string {
  const used = objectAt(quota, 'status', 'used');
  return Object.entries(objectAt(quota, 'status', 'hard'))
    .filter(([name]) => name.startsWith('limits.') === isLimits)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hard]) => `${name}: ${quantityOf(used[name])?.toString() ?? '0'}/${String(hard)}`)
    .join(', ');
}

/** v1 ResourceQuota. */
export const resourceQuota: Resource = defineKind({
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  schema,
  columns: [
    nameColumn,
    column('Request', 'Usage and limits of requests and counts.', (o) => usageText(o, false)),
    column('Limit', 'Usage and limits of container limits.', (o) => usageText(o, true)),
    ageColumn,
  ],
  strategy: {
    status: true,
    returnsDeleted: true,
    prepareCreate: (o) => {
      o['status'] = {};
    },
    validate: validateResourceQuota,
    validateUpdate: validateResourceQuotaUpdate,
  },
});
