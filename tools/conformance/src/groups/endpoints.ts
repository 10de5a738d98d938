import { defineGroup, type Rule } from '../suite/case.js';
import { endpointRules } from './endpoints/endpoints.js';
import { objectRules } from './endpoints/objects.js';
import { sliceRules } from './endpoints/slices.js';

export const endpoints = defineGroup(
  'endpoints',
  { source: 'https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/' },
  (rule) => {
    objectRules(rule);
    const controlled: Rule = (name, run) => rule(name, run, 'controllers');
    endpointRules(controlled);
    sliceRules(controlled);
  },
);
