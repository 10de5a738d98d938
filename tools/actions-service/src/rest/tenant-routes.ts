import * as z from 'zod';
import type { Domain } from '../domain/domain.js';
import type { Runner } from '../domain/model.js';
import type { NewRunner } from '../domain/runners.js';
import { requireCredential } from '../http/identity.js';
import { jsonReply, readJson } from '../http/json.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import { connectionData } from './connection-data.js';
import { publicKeyOf } from './registration-routes.js';

const agentShape = z.object({
  name: z.string().min(1).max(64),
  version: z.string().min(1),
  ephemeral: z.boolean().optional(),
  disableUpdate: z.boolean().optional(),
  labels: z.array(z.looseObject({ name: z.string().min(1) })),
  authorization: z.object({ publicKey: z.object({ exponent: z.string(), modulus: z.string() }) }),
});

/** Returns the agents of a tenant, which a registration without a JIT configuration creates. */
export function tenantRoutes(domain: Domain): EndpointRoute[] {
  const { runners, context } = domain;
  const at = (method: string, path: string, run: (call: Call, scope: string) => Reply): EndpointRoute => ({
    base: 'tenant',
    method,
    template: `/tenant/_apis/${path}`,
    run: (call) => run(call, requireCredential(call.identity, ['tenant'], 'Access denied').subject),
  });
  const agents = 'distributedtask/pools/{pool}/agents';
  return [
    /* GitHub does not check the credential of this call. */
    {
      base: 'tenant',
      method: 'GET',
      template: '/tenant/_apis/connectionData',
      run: () => jsonReply(200, connectionData()),
    },
    at('GET', 'distributedtask/pools', (_call, scope) => {
      const value = runners
        .groups(scope)
        .map(({ id, name }, index) => ({ id, name, isHosted: false, isInternal: index === 0 }));
      return jsonReply(200, { count: value.length, value });
    }),
    at('GET', agents, (call, scope) => {
      const name = call.query.get('agentName');
      const found = runners.list(scope).filter((runner) => name === null || runner.name === name);
      return jsonReply(200, {
        count: found.length,
        value: found.map((runner) => presentAgent(domain, runner)),
      });
    }),
    at('POST', agents, (call, scope) => {
      const agent = readJson(call, agentShape);
      const runner = runners.register(runnerOf(agent, scope, call));
      return jsonReply(200, presentAgent(domain, runner, agent.disableUpdate));
    }),
    at('PUT', `${agents}/{id}`, (call, scope) => {
      const agent = readJson(call, agentShape);
      const runner = runners.replace(Number(call.params['id']), runnerOf(agent, scope, call));
      return jsonReply(200, presentAgent(domain, runner, agent.disableUpdate));
    }),
    at('DELETE', `${agents}/{id}`, (call, scope) => {
      const runner = context.state.runners.get(Number(call.params['id']));
      if (runner?.scope !== scope)
        throw new Refused(404, 'The agent was not found.', { kind: 'TaskAgentNotFoundException' });
      runners.delete(runner);
      return { status: 204 };
    }),
  ];
}

function runnerOf(agent: z.infer<typeof agentShape>, scope: string, { params }: Call): NewRunner {
  const { name, version, labels, authorization, ephemeral = false } = agent;
  const { modulus, exponent } = authorization.publicKey;
  return {
    ...{ name, version, scope, ephemeral, jit: false, groupId: Number(params['pool']) },
    labels: labels.map((label) => label.name),
    publicKey: publicKeyOf(modulus, exponent),
  };
}

function presentAgent({ context }: Domain, runner: Runner, disableUpdate = false): Record<string, unknown> {
  const urls = context.urls();
  const property = (type: string, value: unknown) => ({ $type: `System.${type}`, $value: value });
  return {
    id: runner.id,
    name: runner.name,
    version: runner.version,
    ephemeral: runner.ephemeral,
    disableUpdate,
    enabled: !runner.disabled,
    status: runner.session === undefined ? 'offline' : 'online',
    maxParallelism: 1,
    runnerGroupId: runner.groupId,
    labels: runner.labels.map((name, index) => ({ id: index + 1, name, type: 'user' })),
    authorization: { authorizationUrl: urls.token, clientId: runner.clientId },
    properties: {
      RequireFipsCryptography: property('Boolean', runner.fips),
      ServerUrl: property('String', `${urls.tenant}/`),
      ServerUrlV2: property('String', `${urls.broker}/`),
      UseV2Flow: property('Boolean', true),
    },
  };
}
