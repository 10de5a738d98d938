import * as z from 'zod';
import { encodeJitConfig } from '../domain/jit-config.js';
import type { Runner, Scope } from '../domain/model.js';
import { jsonReply, readJson } from '../http/json.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import { pageOf } from './paging.js';
import type { RestApi } from './rest-api.js';
import { ownerRoutes, scopedRoutes } from './scopes.js';

const jitShape = z.object({
  name: z.string().min(1).max(64),
  runner_group_id: z.number().int(),
  labels: z.array(z.string().min(1)).min(1).max(100),
  work_folder: z.string().default('_work'),
});

/** Returns the endpoints of self-hosted runners. */
export function runnerRoutes(api: RestApi): EndpointRoute[] {
  const { runners, context } = api.domain;
  return [
    ...scopedRoutes(api, 'POST', 'runners/generate-jitconfig', (call, scope) =>
      generateJitConfig(api, call, scope),
    ),
    ...ownerRoutes(api, 'GET', 'runners', 'registration', (call, scope) => {
      const name = call.query.get('name')?.toLowerCase();
      const found = runners
        .list(scope)
        .filter((runner) => name === undefined || runner.name.toLowerCase() === name);
      const { page, headers } = pageOf(call, `${context.urls().rest}/${scope}/actions/runners`, found);
      return jsonReply(200, { total_count: found.length, runners: page.map(presentRunner) }, headers);
    }),
    ...scopedRoutes(api, 'GET', 'runners/{id}', (call, scope) =>
      jsonReply(200, presentRunner(findRunner(api, call, scope))),
    ),
    ...ownerRoutes(api, 'DELETE', 'runners/{id}', 'removal', (call, scope) => {
      runners.delete(findRunner(api, call, scope));
      return { status: 204 };
    }),
    ...ownerRoutes(api, 'GET', 'runner-groups', 'registration', (call, scope) => {
      const groups = runners.groups(scope);
      const { page, headers } = pageOf(call, `${context.urls().rest}/${scope}/actions/runner-groups`, groups);
      const shown = page.map(({ id, name, repositories }, index) => ({
        id,
        name,
        default: index === 0 && name === 'Default',
        visibility: repositories === undefined ? 'all' : 'selected',
        allows_public_repositories: true,
      }));
      return jsonReply(200, { total_count: groups.length, runner_groups: shown }, headers);
    }),
    ...(['registration', 'remove'] as const).flatMap((purpose) =>
      scopedRoutes(api, 'POST', `runners/${purpose}-token`, (_call, scope) => {
        const kind = purpose === 'remove' ? 'removal' : 'registration';
        const life = context.settings.timings.registrationToken;
        const { token, expiresAt } = context.credentials.issue(kind, scope, life);
        return jsonReply(201, { token, expires_at: new Date(expiresAt).toISOString() });
      }),
    ),
  ];
}

/** Returns a runner as the REST API returns it. */
function presentRunner(runner: Runner): Record<string, unknown> {
  const isOnline = runner.session !== undefined || runner.held.size > 0;
  return {
    id: runner.id,
    name: runner.name,
    os: runner.os,
    status: isOnline ? 'online' : 'offline',
    busy: runner.held.size > 0,
    ephemeral: runner.ephemeral,
    runner_group_id: runner.groupId,
    labels: runner.labels.map((name, index) => ({ id: index + 1, name, type: 'custom' })),
  };
}

async function generateJitConfig(api: RestApi, call: Call, scope: Scope): Promise<Reply> {
  const { runners, context } = api.domain;
  const body = readJson(call, jitShape, 422);
  const key = await context.keys.take();
  const runner = runners.register({
    name: body.name,
    scope,
    groupId: body.runner_group_id,
    labels: body.labels,
    ephemeral: true,
    jit: true,
    publicKey: key.publicKey,
  });
  return jsonReply(201, {
    runner: presentRunner(runner),
    encoded_jit_config: encodeJitConfig(context, runner, key, body.work_folder),
  });
}

function findRunner({ domain }: RestApi, call: Call, scope: Scope): Runner {
  const runner = domain.context.state.runners.get(Number(call.params['id']));
  if (runner?.scope !== scope) throw new Refused(404, 'Not Found');
  return runner;
}
