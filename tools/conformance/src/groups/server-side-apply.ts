import { defineGroup } from '../suite/case.js';
import { conflictRules } from './server-side-apply/conflicts.js';
import { listRules } from './server-side-apply/lists.js';
import { ownershipRules } from './server-side-apply/ownership.js';
import { requestRules } from './server-side-apply/requests.js';
import { subresourceRules } from './server-side-apply/subresources.js';

export const serverSideApply = defineGroup(
  'server-side-apply',
  { source: 'https://kubernetes.io/docs/reference/using-api/server-side-apply/' },
  (rule) => {
    ownershipRules(rule);
    conflictRules(rule);
    listRules(rule);
    subresourceRules(rule);
    requestRules(rule);
  },
);
