import {
  podLimits,
  podRequests,
  type Quantity,
  type ResourceList,
  resourceList,
} from '@interlock/api/quantities';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import { ratioText } from './ratio.js';
import type { JsonObject } from '../../schema/types.js';

/** The resources of a container or of a whole pod. */
interface Stated {
  requests: ResourceList;
  limits: ResourceList;
}

type Constraint = (
  enforced: Quantity,
  request: Quantity | undefined,
  limit: Quantity | undefined,
) => string | undefined;

const constraints: readonly [field: string, constraint: Constraint, text: string][] = [
  ['min', minProblem, 'minimum {} usage per'],
  ['max', maxProblem, 'maximum {} usage per'],
  ['maxLimitRequestRatio', ratioProblem, '{} max limit to request ratio per'],
];

/** Returns the violations of a LimitRange by a pod, in the order of the limits. */
export function limitProblems(pod: KubeObject, limits: readonly JsonObject[]): string[] {
  return limits.flatMap((limit) => {
    const type = textAt(limit, 'type');
    return statedOf(pod, type).flatMap((stated) => problemsOf(stated, limit, type));
  });
}

function statedOf(pod: KubeObject, type: string): Stated[] {
  const spec = objectAt(pod, 'spec');
  switch (type) {
    case 'Pod':
      return [
        {
          requests: podRequests(spec, { overhead: false }),
          limits: podLimits(spec, { overhead: false }),
        },
      ];
    case 'Container':
      return [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')].map((container) => ({
        requests: resourceList(valueAt(container, 'resources', 'requests')),
        limits: resourceList(valueAt(container, 'resources', 'limits')),
      }));
    default:
      return [];
  }
}

function problemsOf({ requests, limits }: Stated, limit: JsonObject, type: string): string[] {
  return constraints.flatMap(([field, problemOf, text]) =>
    [...resourceList(limit[field])]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, enforced]) => {
        const problem = problemOf(enforced, requests.get(name), limits.get(name));
        return problem === undefined
          ? []
          : [`${text.replace('{}', name)} ${type} is ${enforced.toString()}${problem}`];
      }),
  );
}

function minProblem(enforced: Quantity, request?: Quantity, limit?: Quantity): string | undefined {
  if (request === undefined) return '.  No request is specified';
  if (enforced.compareTo(request) > 0n) return `, but request is ${request.toString()}`;
  if (limit !== undefined && enforced.compareTo(limit) > 0n) return `, but limit is ${limit.toString()}`;
  return undefined;
}

function maxProblem(enforced: Quantity, request?: Quantity, limit?: Quantity): string | undefined {
  if (limit === undefined) return '.  No limit is specified';
  if (limit.compareTo(enforced) > 0n) return `, but limit is ${limit.toString()}`;
  if (request !== undefined && request.compareTo(enforced) > 0n)
    return `, but request is ${request.toString()}`;
  return undefined;
}

function ratioProblem(enforced: Quantity, request?: Quantity, limit?: Quantity): string | undefined {
  if (request === undefined || request.isZero) return ', but no request is specified or request is 0';
  if (limit === undefined || limit.isZero) return ', but no limit is specified or limit is 0';
  if (!limit.isGreaterThanProduct(request, enforced)) return undefined;
  return `, but provided ratio is ${ratioText(limit, request)}`;
}
