import type { RunnerGroup } from '@interlock/api';
import { podsOf } from '../caches.js';
import type { AgcContext } from '../context.js';
import { placeBeside } from '../group/places.js';
import type { Place } from './observed.js';

/** Returns the place that a group has now for another worker pod, by its ceiling and its scale-up. */
export function placeInGroup(
  { caches, places, scaleUp, manager }: Pick<AgcContext, 'caches' | 'places' | 'scaleUp' | 'manager'>,
  { metadata: { name }, spec }: RunnerGroup,
): Place {
  const place = placeBeside(spec, places.active(name, podsOf(caches, name)));
  if (place.type === 'full') return place;
  const retryAfterMs = scaleUp.waitMs(name, spec.scaleUp, manager.clock.monotonic());
  return retryAfterMs === 0 ? place : { type: 'full', reason: 'scaleUp', retryAfterMs };
}
