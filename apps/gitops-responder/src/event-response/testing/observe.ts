import { timestampOf, type EventResponseStatus, type ResponseRoute } from '@interlock/api';
import { compileRoutes, route, type ChangePlan } from '@interlock/responding';
import { eventOf, responseOf } from '@interlock/responding/testing';
import type { Observed } from '../observed.js';

export const now = Date.parse('2026-01-01T00:00:00Z');
/** Returns a time a number of seconds after {@link now}. */
export const at = (seconds: number): string => timestampOf(now + seconds * 1000);

export const plan: ChangePlan = {
  files: [{ path: 'a', change: 'delete' }],
  added: 0,
  removed: 3,
  digest: 'd',
  absent: [],
};
export const request = {
  number: 7,
  url: 'https://x/7',
  branch: 'b',
  headSHA: 'c',
  state: 'open' as const,
};
const provider = { kind: 'noop', repository: 'a/b', baseBranch: 'main' } as const;
export const routed = {
  index: 0,
  matchDigest: 'digest',
  config: 'default',
  generation: 1,
  provider: 'noop',
  repository: 'a/b',
  baseBranch: 'main',
};

/** The first attempt has begun. */
export const begun: EventResponseStatus = {
  phase: 'Running',
  stage: 'Routed',
  attempts: 1,
  lastAttemptAt: at(-10),
};
/** The attempt has recorded the branch that it is about to create. */
export const branched: EventResponseStatus = { ...begun, route: routed, changeRequest: { branch: 'b' } };
/** The attempt has failed; the next one is in half a minute. */
export const later: EventResponseStatus = { ...begun, nextAttemptAt: at(30) };
/** The pull request is open. */
export const opened: EventResponseStatus = {
  ...branched,
  phase: 'Succeeded',
  stage: 'Submitted',
  providerRef: request.url,
  changeRequest: request,
  completedAt: at(-5),
};

/**
 * Returns the observation of a response with a status.
 * @param taken fields of the only route besides its provider.
 */
export function observe(
  status: EventResponseStatus | undefined,
  more: Partial<Observed> = {},
  taken: Partial<ResponseRoute> = {},
): Observed {
  const response = { ...responseOf(), ...(status && { status }) };
  const routing = route(compileRoutes([{ provider, ...taken }]), { response, event: eventOf() });
  return {
    response,
    responderName: 'ugallu-gitops-responder',
    configNamespace: 'ugallu-system',
    maxAttempts: 0,
    followEveryMs: 300_000,
    random: 0.5,
    config: { name: 'default', generation: 1, routing },
    ...more,
  };
}
