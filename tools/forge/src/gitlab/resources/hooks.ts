import * as z from 'zod';
import type { Hook } from '../../domain/model.js';
import { found } from '../../domain/refusal.js';
import { projectRoute, type GitlabRoute, type ProjectCall } from '../call.js';
import { GitlabError } from '../errors.js';
import { hookFlags, presentHook } from '../present/project.js';
import { flag } from '../schema.js';

const changeable = {
  token: z.string().optional(),
  signing_token: z.string().optional(),
  push_events: flag.optional(),
  tag_push_events: flag.optional(),
  merge_requests_events: flag.optional(),
  pipeline_events: flag.optional(),
};
const createRequest = z.object({ url: z.string(), ...changeable });
const updateRequest = z.object({ url: z.string().optional(), ...changeable });

const hooks = '/projects/{id}/hooks';
const one = `${hooks}/{hook_id}`;
const read = 'repository_hooks:read';
const write = 'repository_hooks:write';

/** REST API, "Project webhooks". */
export const hookRoutes: GitlabRoute[] = [
  projectRoute(`GET ${hooks}`, read, (call) =>
    call.list(call.repository.hooks.filter(isOurs), (hook) => presentHook(call.repository, hook)),
  ),
  projectRoute(`POST ${hooks}`, write, (call) => {
    const wanted = call.read(createRequest);
    const hook = make(call, wanted.url, wanted, {
      events: [hookFlags.push_events],
      secret: '',
      signingToken: undefined,
    });
    call.repository.hooks.push(hook);
    return { status: 201, body: presentHook(call.repository, hook) };
  }),
  projectRoute(`GET ${one}`, read, (call) => ({
    status: 200,
    body: presentHook(call.repository, hookOf(call)),
  })),
  projectRoute(`PUT ${one}`, write, (call) => {
    const hook = hookOf(call);
    const { url = hook.url, ...change } = call.read(updateRequest);
    const changed = make(call, url, change, { ...hook, signingToken: hook.signingToken });
    Object.assign(hook, { ...changed, id: hook.id, createdAt: hook.createdAt });
    return { status: 200, body: presentHook(call.repository, hook) };
  }),
  projectRoute(`DELETE ${one}`, write, (call) => {
    const hook = hookOf(call);
    call.repository.hooks = call.repository.hooks.filter((other) => other !== hook);
    return { status: 204 };
  }),
];

type Change = Omit<z.output<typeof updateRequest>, 'url'>;

/** @param before values of the fields that the change does not contain. */
function make(
  { services }: ProjectCall,
  url: string,
  change: Change,
  before: { events: readonly string[]; secret: string; signingToken: string | undefined },
): Hook {
  const { token: secret = before.secret, signing_token: signingToken = before.signingToken } = change;
  if (signingToken !== undefined && !/^whsec_[A-Za-z0-9+/]{43}=$/.test(signingToken)) {
    throw new GitlabError(422, 'Signing token must be in whsec_<base64> format');
  }
  const events = Object.entries(hookFlags)
    .filter(([name, event]) => change[name as keyof typeof hookFlags] ?? before.events.includes(event))
    .map(([, event]) => event);
  return services.hooks.create({
    protocol: 'gitlab',
    active: true,
    contentType: 'json',
    url,
    secret,
    events,
    signingToken,
  });
}

function isOurs({ protocol }: Hook): boolean {
  return protocol === 'gitlab';
}

function hookOf(call: ProjectCall): Hook {
  const id = call.number('hook_id');
  return found(call.repository.hooks.find((hook) => isOurs(hook) && hook.id === id));
}
