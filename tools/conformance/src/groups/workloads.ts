import { defineGroup } from '../suite/case.js';
import { nodeRules } from './workloads/nodes.js';
import { podRules } from './workloads/pods.js';
import { schedulingRules } from './workloads/scheduling.js';

export const workloads = defineGroup(
  'workloads',
  {
    source: 'https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/',
    needs: ['core', 'controllers', 'nodes'],
  },
  (rule) => {
    nodeRules(rule);
    schedulingRules(rule);
    podRules(rule);
  },
);
