import { textAt, valueAt, type KubeObject } from '../object.js';
import { invalid, required } from '../schema/field-error.js';
import { int32, microTime, object, string } from '../schema/dsl.js';
import type { Cause } from '../schema/types.js';
import { ageColumn, column, defineKind, nameColumn } from './define.js';

function checkPositive(o: KubeObject, field: string, least: number): Cause[] {
  const value = valueAt(o, 'spec', field);
  if (typeof value !== 'number' || value >= least) return [];
  const rule = least === 1 ? 'must be greater than 0' : 'must be greater than or equal to 0';
  return [invalid(`spec.${field}`, value, rule)];
}

/** coordination.k8s.io/v1 Lease. */
export const leaseKind = defineKind({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  schema: object(
    {
      spec: object(
        {
          holderIdentity: string('Who holds the lease.'),
          leaseDurationSeconds: int32('How long others wait after the last renewal.'),
          acquireTime: microTime('When the present holder took it.'),
          renewTime: microTime('When the present holder last renewed it.'),
          leaseTransitions: int32('How often it changed hands.'),
          strategy: string('How the next holder is chosen.'),
          preferredHolder: string('Who should take it next.'),
        },
        { description: 'Holder and times.', default: {} },
      ),
    },
    'A lock with a time limit.',
  ),
  columns: [
    nameColumn,
    column('Holder', 'Who holds the lease.', (o) => textAt(o, 'spec', 'holderIdentity')),
    ageColumn,
  ],
  strategy: {
    unconditionalUpdate: false,
    createOnUpdate: true,
    validate: (o) => [
      ...checkPositive(o, 'leaseDurationSeconds', 1),
      ...checkPositive(o, 'leaseTransitions', 0),
      ...(valueAt(o, 'spec', 'preferredHolder') !== undefined && valueAt(o, 'spec', 'strategy') === undefined
        ? [required('spec.strategy', 'strategy must be specified when preferredHolder is specified')]
        : []),
    ],
  },
});
