import { defineGroup } from '../suite/case.js';
import { collectionRules } from './owner-references/collection.js';
import { foregroundRules } from './owner-references/foreground.js';
import { referenceRules } from './owner-references/references.js';

export const ownerReferences = defineGroup(
  'owner-references',
  { source: 'https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/' },
  (rule) => {
    referenceRules(rule);
    collectionRules(rule);
    foregroundRules(rule);
  },
);
