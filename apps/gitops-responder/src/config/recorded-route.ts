import type { EventResponseStatus } from '@interlock/api';
import { canonicalDigest } from '@interlock/base';
import type { TakenRoute } from '@interlock/responding';

/** The route of a response, as its status records it. */
export type RecordedRoute = NonNullable<EventResponseStatus['route']>;

/** Number of hexadecimal digits: enough to distinguish the routes of a configuration. */
const digestLength = 16;

/** Returns the route of a response, for its status. */
export function recordedRoute(
  { index, route }: TakenRoute,
  { name: config, generation }: { name: string; generation: number },
): RecordedRoute {
  const { kind: provider, host, repository, baseBranch } = route.provider;
  const matchDigest = canonicalDigest(route.match ?? {}).slice(0, digestLength);
  return { index, matchDigest, config, generation, provider, ...(host && { host }), repository, baseBranch };
}
