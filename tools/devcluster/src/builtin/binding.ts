import { textAt } from '../object.js';
import { object } from '../schema/dsl.js';
import { isObject } from '../schema/json.js';
import { defineKind } from './define.js';
import { objectReference } from './meta/references.js';
import { bindPod } from './pod/binding.js';
import { podKind } from './pod/kind.js';

/** v1 Binding: `POST …/bindings` assigns the pod with the Binding's name to a node. */
export const binding = defineKind({
  kind: 'Binding',
  plural: 'bindings',
  verbs: ['create'],
  schema: object({ target: { ...objectReference, description: 'The node.' } }, 'Assigns a pod to a node.'),
  answer: (call) => {
    const metadata = isObject(call.body) && isObject(call.body['metadata']) ? call.body['metadata'] : {};
    return bindPod({ ...call, resource: podKind, name: textAt(metadata, 'name') });
  },
});
