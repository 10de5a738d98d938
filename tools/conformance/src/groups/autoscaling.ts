import { defineGroup } from '../suite/case.js';
import { autoscalerRules } from './autoscaling/autoscalers.js';
import { scalingRules } from './autoscaling/scaling.js';

export const autoscaling = defineGroup(
  'autoscaling',
  { source: 'https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/' },
  (rule) => {
    autoscalerRules(rule);
    scalingRules(rule);
  },
);
