import * as z from 'zod';
import { jsonReply, readJson } from '../http/json.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import { requireApp } from './app-jwt.js';
import { pageOf } from './paging.js';
import type { RestApi } from './rest-api.js';

const tokenShape = z.object({
  repositories: z.array(z.string()).optional(),
  repository_ids: z.array(z.number()).optional(),
  permissions: z.record(z.string(), z.string()).optional(),
});

/** Returns the endpoints of the App, and of its limits. */
export function appRoutes(api: RestApi): EndpointRoute[] {
  const { clock, credentials, settings, state } = api.domain.context;
  return [
    {
      base: 'rest',
      method: 'POST',
      template: '/app/installations/{id}/access_tokens',
      run: (call) => {
        requireApp(call.identity, api.app, clock);
        const { permissions } = readJson(call, tokenShape, 422);
        const installation = state.installations.get(Number(call.params['id']));
        if (installation === undefined) throw new Refused(404, 'Not Found');
        const { token, expiresAt } = credentials.issue(
          'installation',
          String(installation.id),
          settings.timings.installationToken,
        );
        return jsonReply(201, {
          token,
          /* GitHub states whole seconds. */
          expires_at: new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z'),
          permissions: permissions ?? {
            actions: 'write',
            administration: 'write',
            organization_self_hosted_runners: 'write',
          },
          repository_selection: 'all',
        });
      },
    },
    {
      base: 'rest',
      method: 'GET',
      template: '/app',
      run: (call) => {
        requireApp(call.identity, api.app, clock);
        return jsonReply(200, {
          id: api.app.id,
          client_id: api.app.clientId,
          slug: 'interlock',
          name: 'Interlock',
        });
      },
    },
    /* The repositories that have had a run; the double does not know others. */
    api.route('GET', '/installation/repositories', (call, installation) => {
      const { account } = installation;
      const names = new Set([...state.runs.values()].map(({ repository }) => repository));
      const own = [...names].filter((name) => name.startsWith(`${account}/`)).sort();
      const { page, headers } = pageOf(
        call,
        `${api.domain.context.urls().rest}/installation/repositories`,
        own,
      );
      const repositories = page.map((name) => ({
        full_name: name,
        name: name.slice(account.length + 1),
        pushed_at: null,
      }));
      return jsonReply(200, { total_count: own.length, repository_selection: 'all', repositories }, headers);
    }),
    api.route(
      'GET',
      '/rate_limit',
      (_call, installation) => {
        const core = api.budget.status(installation);
        const actions = { limit: 10_000, remaining: 10_000, used: 0, reset: core.reset };
        return jsonReply(200, { resources: { core, actions_runner_registration: actions }, rate: core });
      },
      'free',
    ),
  ];
}
