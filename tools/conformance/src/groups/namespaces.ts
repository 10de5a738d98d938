import { defineGroup } from '../suite/case.js';
import { deletionRules } from './namespaces/deletion.js';
import { namespaceRules } from './namespaces/objects.js';

export const namespaces = defineGroup(
  'namespaces',
  { source: 'https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/' },
  (rule) => {
    namespaceRules(rule);
    deletionRules(rule);
  },
);
