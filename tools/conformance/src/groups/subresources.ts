import { defineGroup } from '../suite/case.js';
import { scaleRules } from './subresources/scale.js';
import { statusRules } from './subresources/status.js';

export const subresources = defineGroup(
  'subresources',
  {
    source:
      'https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#spec-and-status',
  },
  (rule) => {
    statusRules(rule);
    scaleRules(rule);
  },
);
