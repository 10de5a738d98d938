import type { Scope } from '../domain/model.js';
import { requireCredential } from '../http/identity.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import type { RestApi } from './rest-api.js';

type ScopeHandler = (call: Call, scope: Scope) => Reply | Promise<Reply>;

/** The tokens with which an owner registers and removes runners. */
export type OwnerToken = 'registration' | 'removal';

const templates: readonly {
  prefix: string;
  scope: (params: Record<string, string>) => Scope;
  owner: string;
}[] = [
  { prefix: '/orgs/{owner}', owner: 'owner', scope: ({ owner = '' }) => `orgs/${owner}` },
  {
    prefix: '/repos/{owner}/{repo}',
    owner: 'owner',
    scope: ({ owner = '', repo = '' }) => `repos/${owner}/${repo}`,
  },
  { prefix: '/enterprises/{owner}', owner: 'owner', scope: ({ owner = '' }) => `enterprises/${owner}` },
];

/** Returns an endpoint for each kind of owner of runners: organizations, repositories and enterprises. */
export function scopedRoutes(api: RestApi, method: string, path: string, run: ScopeHandler): EndpointRoute[] {
  return templates.map(({ prefix, scope, owner }) =>
    api.route(method, `${prefix}/actions/${path}`, (call, installation) => {
      api.requireAccount(installation, call.params[owner] ?? '');
      return run(call, scope(call.params).toLowerCase());
    }),
  );
}

/** Returns endpoints like {@link scopedRoutes}, which also take a token of the owner, as `config.sh` sends it. */
export function ownerRoutes(
  api: RestApi,
  method: string,
  path: string,
  token: OwnerToken,
  run: ScopeHandler,
): EndpointRoute[] {
  return scopedRoutes(api, method, path, run).map((route, index) => ({
    ...route,
    run: (call) => {
      if (call.identity.scheme !== 'remoteauth') return route.run(call);
      const scope = scopeOfToken(call, token);
      if (scope === templates[index]?.scope(call.params).toLowerCase()) return run(call, scope);
      throw new Refused(404, 'Not Found', { violation: 'wrong-credential' });
    },
  }));
}

/**
 * Returns the owner of a token.
 *
 * @throws Refused 404 for a token that has ended, as GitHub answers; 401, as a violation, for another credential
 */
export function scopeOfToken({ identity }: Call, token: OwnerToken): Scope {
  const { credential } = identity;
  if (credential?.kind === token && credential.state !== 'valid') throw new Refused(404, 'Not Found');
  return requireCredential(identity, [token], 'Bad credentials').subject;
}
