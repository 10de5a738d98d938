import type { EventResponseStatus } from '@interlock/api';
import { digestOf, type TakenRoute } from '@interlock/responding';

/** The route of a response, as its status tells it. */
export type RecordedRoute = NonNullable<EventResponseStatus['route']>;

/** Of its hexadecimal digits: enough to tell the routes of a configuration apart. */
const digestLength = 16;

/** @param config the name of the configuration that has the route. */
export function recordedRoute({ index, route }: TakenRoute, config: string): RecordedRoute {
  const { kind: provider, host, repository, baseBranch } = route.provider;
  const matchDigest = digestOf(route.match ?? {}).slice(0, digestLength);
  return { index, matchDigest, config, provider, ...(host && { host }), repository, baseBranch };
}
