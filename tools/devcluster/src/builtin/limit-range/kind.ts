import { objectAt, objectsAt, type KubeObject } from '../../object.js';
import type { Resource } from '../../registry/resource.js';
import { list, map, object, quantity, string } from '../../schema/dsl.js';
import type { JsonObject } from '../../schema/types.js';
import { column, defineKind, nameColumn } from '../define.js';
import { validateLimitRange } from './validation.js';

const limit = object(
  {
    type: string('Container, Pod or PersistentVolumeClaim.'),
    max: map(quantity(), 'The most of each resource.'),
    min: map(quantity(), 'The least of each resource.'),
    default: map(quantity(), 'Limits of containers that state none.'),
    defaultRequest: map(quantity(), 'Requests of containers that state none.'),
    maxLimitRequestRatio: map(quantity(), 'How many times its request a limit may be.'),
  },
  { required: ['type'] },
);

/** Completes the defaults of containers. Source: Kubernetes pkg/apis/core/v1/defaults.go, SetDefaults_LimitRangeItem. */
function applyDefaults(limitRange: KubeObject): void {
  for (const one of objectsAt(limitRange, 'spec', 'limits')) {
    if (one['type'] !== 'Container') continue;
    const limits = { ...objectAt(one, 'max'), ...objectAt(one, 'default') };
    setIfAny(one, 'default', limits);
    setIfAny(one, 'defaultRequest', {
      ...objectAt(one, 'min'),
      ...limits,
      ...objectAt(one, 'defaultRequest'),
    });
  }
}

function setIfAny(limitItem: JsonObject, field: string, amounts: JsonObject): void {
  if (Object.keys(amounts).length > 0) limitItem[field] = amounts;
}

/** v1 LimitRange. */
export const limitRange: Resource = defineKind({
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  schema: object(
    {
      spec: object(
        { limits: list(limit, 'Limits by type.') },
        { description: 'Limits that are enforced.', required: ['limits'], default: {} },
      ),
    },
    'Limits what one pod or container of a namespace uses, and completes what they state.',
  ),
  columns: [
    nameColumn,
    column('Created At', 'When the object was created.', (o) => o.metadata.creationTimestamp ?? '', 'date'),
  ],
  strategy: { createOnUpdate: true, defaults: applyDefaults, validate: validateLimitRange },
});
