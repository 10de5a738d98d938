import { defineGroup } from '../suite/case.js';
import { levelRules } from './pod-security/levels.js';
import { namespaceRules } from './pod-security/namespaces.js';

export const podSecurity = defineGroup(
  'pod-security',
  { source: 'https://kubernetes.io/docs/concepts/security/pod-security-admission/' },
  (rule) => {
    levelRules(rule);
    namespaceRules(rule);
  },
);
