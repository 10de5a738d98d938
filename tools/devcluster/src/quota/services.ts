import { Quantity, type ResourceList } from '@interlock/api/quantities';
import { objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import type { Evaluator } from './evaluator.js';

const names = ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'];

/**
 * The usage of Services. Updates count too, because the type can change. Source: Kubernetes
 * pkg/quota/v1/evaluator/core, services.go.
 */
export const serviceEvaluator: Evaluator = {
  operations: ['CREATE', 'UPDATE'],
  counts: (name) => names.includes(name),
  usage,
  isInScope: () => false,
};

function usage(service: KubeObject): ResourceList {
  const isBalanced = textAt(service, 'spec', 'type') === 'LoadBalancer';
  return new Map([
    ['count/services', Quantity.of(1)],
    ['services', Quantity.of(1)],
    ['services.nodeports', Quantity.of(nodePorts(service))],
    ['services.loadbalancers', Quantity.of(isBalanced ? 1 : 0)],
  ]);
}

/** Returns the number of node ports that a Service has or will get. */
function nodePorts(service: KubeObject): number {
  const ports = objectsAt(service, 'spec', 'ports');
  switch (textAt(service, 'spec', 'type')) {
    case 'NodePort':
      return ports.length;
    case 'LoadBalancer':
      return valueAt(service, 'spec', 'allocateLoadBalancerNodePorts') === false
        ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
        : ports.length;
    default:
      return 0;
  }
}
