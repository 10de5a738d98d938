import * as z from 'zod';
import type { Hook } from '../../domain/model.js';
import { found } from '../../domain/refusal.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import { presentDelivery, presentFullDelivery, presentHook } from '../present/hook.js';

const config = z.object({
  url: z.string(),
  content_type: z.enum(['json', 'form']).default('form'),
  secret: z.string().default(''),
});
const createRequest = z.object({
  name: z.literal('web').optional(),
  config,
  events: z.array(z.string()).min(1).default(['push']),
  active: z.boolean().default(true),
});
const updateRequest = z.object({
  config: config.partial().optional(),
  events: z.array(z.string()).min(1).optional(),
  active: z.boolean().optional(),
});

const hooks = '/repos/{owner}/{repo}/hooks';
const one = `${hooks}/{hook_id}`;
const read = 'repository_hooks:read';
const write = 'repository_hooks:write';

/** REST API, "Repository webhooks". */
export const hookRoutes: GithubRoute[] = [
  repositoryRoute(`GET ${hooks}`, read, (call) => call.list(call.repository.hooks, presenter(call))),
  repositoryRoute(`POST ${hooks}`, write, (call) => {
    const { config: wanted, events, active } = call.read(createRequest);
    const { url, content_type: contentType, secret } = wanted;
    const hook = call.services.hooks.create({ protocol: 'github', url, contentType, secret, events, active });
    call.repository.hooks.push(hook);
    ping(call, hook);
    return { status: 201, body: presenter(call)(hook) };
  }),
  repositoryRoute(`GET ${one}`, read, (call) => ({ status: 200, body: presenter(call)(hookOf(call)) })),
  repositoryRoute(`PATCH ${one}`, write, (call) => {
    const hook = hookOf(call);
    const { config: wanted = {}, events, active } = call.read(updateRequest);
    const { url = hook.url, content_type: contentType = hook.contentType, secret = hook.secret } = wanted;
    const checked = call.services.hooks.create({
      protocol: 'github',
      url,
      contentType,
      secret,
      events: events ?? hook.events,
      active: active ?? hook.active,
    });
    Object.assign(hook, { ...checked, id: hook.id, createdAt: hook.createdAt });
    return { status: 200, body: presenter(call)(hook) };
  }),
  repositoryRoute(`DELETE ${one}`, write, (call) => {
    const hook = hookOf(call);
    call.repository.hooks = call.repository.hooks.filter((other) => other !== hook);
    return { status: 204 };
  }),
  repositoryRoute(`POST ${one}/pings`, read, (call) => {
    ping(call, hookOf(call));
    return { status: 204 };
  }),
  repositoryRoute(`GET ${one}/deliveries`, read, (call) =>
    call.list(call.services.hooks.deliveries(hookOf(call)), presentDelivery),
  ),
  repositoryRoute(`GET ${one}/deliveries/{delivery_id}`, read, (call) => {
    const hook = hookOf(call);
    const id = call.number('delivery_id');
    const delivery = found(call.services.hooks.deliveries(hook).find((candidate) => candidate.id === id));
    return { status: 200, body: presentFullDelivery(hook, delivery) };
  }),
  repositoryRoute(`POST ${one}/deliveries/{delivery_id}/attempts`, write, (call) => {
    call.services.hooks.redeliver(hookOf(call), call.number('delivery_id'));
    return { status: 202, body: {} };
  }),
];

function hookOf(call: RepositoryCall): Hook {
  const id = call.number('hook_id');
  return found(call.repository.hooks.find((hook) => hook.id === id));
}

function presenter({ domain, links, repository }: RepositoryCall) {
  return (hook: Hook) => presentHook(domain.core, links, repository, hook);
}

function ping({ domain, repository, actor }: RepositoryCall, hook: Hook): void {
  domain.core.publish({ type: 'ping', repository, sender: actor.account, hook });
}
