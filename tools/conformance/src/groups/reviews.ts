import { defineGroup } from '../suite/case.js';
import { accessReviewRules } from './reviews/access-reviews.js';
import { impersonationRules } from './reviews/impersonation.js';
import { invalidReviewRules } from './reviews/invalid-reviews.js';
import { selfReviewRules } from './reviews/self-reviews.js';

export const reviews = defineGroup(
  'reviews',
  { source: 'https://kubernetes.io/docs/reference/access-authn-authz/authorization/' },
  (rule) => {
    accessReviewRules(rule);
    invalidReviewRules(rule);
    selfReviewRules(rule);
    impersonationRules(rule);
  },
);
