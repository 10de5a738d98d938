import { textAt, textsAt, valueAt, type KubeObject } from '../../object.js';
import { checkLabel } from '../../registry/names.js';
import { allVerbs } from '../../registry/resource.js';
import { list, listMap, object, string } from '../../schema/dsl.js';
import { ageColumn, column, defineKind, nameColumn } from '../define.js';
import { condition } from '../meta/condition.js';
import { finalizeNamespace } from './finalize.js';
import { validateNamespace } from './validation.js';

/** v1 Namespace. */
export const namespace = defineKind({
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  shortNames: ['ns'],
  verbs: allVerbs.filter((verb) => verb !== 'deletecollection'),
  fields: { 'status.phase': (o) => textAt(o, 'status', 'phase'), name: (o) => o.metadata.name },
  schema: object(
    {
      spec: object(
        { finalizers: list(string(), 'Must be empty before the namespace is removed.') },
        { description: 'How the namespace goes.', default: {} },
      ),
      status: object(
        {
          phase: string('Active or Terminating.'),
          conditions: listMap(condition(), ['type'], 'What a deletion waits for.'),
        },
        { description: 'Where the namespace is in its life.', default: {} },
      ),
    },
    'A scope for names.',
  ),
  columns: [
    nameColumn,
    column('Status', 'Phase of the namespace.', (o) => textAt(o, 'status', 'phase')),
    ageColumn,
  ],
  subresources: {
    finalize: { kind: 'Namespace', verbs: ['update'], handle: finalizeNamespace },
  },
  strategy: {
    checkName: checkLabel,
    status: true,
    defaults: labelWithName,
    prepareCreate: (o) => {
      labelWithName(o);
      o['spec'] = { finalizers: [...new Set([...textsAt(o, 'spec', 'finalizers'), 'kubernetes'])] };
      o['status'] = { phase: 'Active' };
    },
    validate: validateNamespace,
    prepareUpdate: (o, old) => {
      const spec = valueAt(old, 'spec');
      if (spec !== undefined) o['spec'] = spec;
    },
    holdsDeletion: (o) => textsAt(o, 'spec', 'finalizers').length > 0,
    prepareDelete: (o) => {
      Reflect.deleteProperty(o.metadata, 'deletionGracePeriodSeconds');
      o['status'] = { phase: 'Terminating' };
    },
  },
});

/** Sets the label with the name. A generated name is known only when the object is complete. */
function labelWithName({ metadata }: KubeObject): void {
  if (metadata.name === '') return;
  metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
}
