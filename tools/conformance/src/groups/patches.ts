import { defineGroup } from '../suite/case.js';
import { jsonPatchRules } from './patches/json.js';
import { mergePatchRules } from './patches/merge.js';
import { strategicDirectiveRules } from './patches/strategic-directives.js';
import { strategicPatchRules } from './patches/strategic.js';

export const patches = defineGroup(
  'patches',
  { source: 'https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply' },
  (rule) => {
    jsonPatchRules(rule);
    mergePatchRules(rule);
    strategicPatchRules(rule);
    strategicDirectiveRules(rule);
  },
);
