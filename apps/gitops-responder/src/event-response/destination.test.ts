import type { EventResponse } from '@interlock/api';
import { compileRoutes } from '@interlock/responding';
import { eventOf, responseOf } from '@interlock/responding/testing';
import { describe, expect, it } from '@jest/globals';
import { destinationOf } from './destination.js';
import { branched } from './testing/observe.js';

const routing = compileRoutes([
  {
    match: { eventType: 'ClusterAdminGranted' },
    provider: { kind: 'gitlab', host: 'https://git.example', repository: 'A/b', baseBranch: 'main' },
  },
  { provider: { kind: 'github-app', repository: 'a/c', baseBranch: 'main' } },
]);

function of(response: EventResponse, event = eventOf()) {
  const inUse = { name: 'default', uid: 'u', generation: 1, spec: {}, routing };
  return destinationOf(
    {
      responses: { get: () => response },
      securityEvents: { get: () => event },
      store: { inUse },
      responderName: 'ugallu-gitops-responder',
    },
    'er-1',
  );
}

describe('destinationOf', () => {
  it('returns the repository of the route that a new response is about to take', () => {
    expect(of(responseOf())).toEqual({
      host: 'https://git.example',
      repository: 'gitlab git.example a/b',
    });
    expect(of(responseOf(), eventOf({ type: 'Other' }))).toEqual({
      host: 'github.com',
      repository: 'github github.com a/c',
    });
  });

  it('returns the recorded repository of a response that was routed before', () => {
    const route = { ...branched.route!, provider: 'gitea', host: 'https://old.example' };
    expect(of({ ...responseOf(), status: { ...branched, route } })).toEqual({
      host: 'https://old.example',
      repository: 'gitea old.example a/b',
    });
  });

  it('returns nothing for a response of another responder', () => {
    expect(of(responseOf({ responder: { kind: 'Deployment', name: 'other' } }))).toBeUndefined();
  });
});
