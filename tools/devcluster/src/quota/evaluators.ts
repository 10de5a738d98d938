import { Quantity } from '@interlock/api/quantities';
import type { Resource } from '../registry/resource.js';
import type { Evaluator } from './evaluator.js';
import { podEvaluator } from './pods.js';
import { serviceEvaluator } from './services.js';

type GroupResource = Pick<Resource, 'group' | 'plural'>;

/** Core kinds that quotas can count without `count/`. */
const aliases = ['configmaps', 'replicationcontrollers', 'resourcequotas', 'secrets'];

/** Returns the quota evaluator of a resource, or undefined for Events, which do not count. */
export function evaluatorOf({ group, plural }: GroupResource): Evaluator | undefined {
  if (plural === 'events' && (group === '' || group === 'events.k8s.io')) return undefined;
  if (group === '' && plural === 'pods') return podEvaluator;
  if (group === '' && plural === 'services') return serviceEvaluator;
  const count = group === '' ? `count/${plural}` : `count/${plural}.${group}`;
  return countEvaluator(group === '' && aliases.includes(plural) ? [count, plural] : [count]);
}

/** Counts objects. */
function countEvaluator(names: readonly string[]): Evaluator {
  const one = new Map(names.map((name) => [name, Quantity.of(1)]));
  return {
    operations: ['CREATE'],
    counts: (name) => names.includes(name),
    usage: () => one,
    isInScope: () => false,
  };
}
