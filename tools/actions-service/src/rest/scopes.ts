import type { Installation, Scope } from '../domain/model.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import type { RestApi } from './rest-api.js';

type ScopeHandler = (call: Call, scope: Scope, installation: Installation) => Reply | Promise<Reply>;

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
      return run(call, scope(call.params).toLowerCase(), installation);
    }),
  );
}
