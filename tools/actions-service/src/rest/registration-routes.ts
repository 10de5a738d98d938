import { createPublicKey, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import type { Domain } from '../domain/domain.js';
import type { Scope } from '../domain/model.js';
import type { NewRunner } from '../domain/runners.js';
import { jsonReply, readJson } from '../http/json.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import { scopeOfToken, type OwnerToken } from './scopes.js';

const registrationShape = z.object({ url: z.url(), runner_event: z.enum(['register', 'remove']) });
const registerShape = z.object({
  url: z.url(),
  group_id: z.number().int(),
  name: z.string().min(1).max(64),
  version: z.string().min(1),
  updates_disabled: z.boolean(),
  ephemeral: z.boolean(),
  labels: z.array(z.looseObject({ name: z.string().min(1) })),
  /** An `RSAKeyValue` element. */
  public_key: z.string().min(1).max(4_096),
  replace: z.boolean().optional(),
  runner_id: z.number().int().optional(),
});

/** Returns the endpoints for registration with a registration token, of agents of the tenant or by runner-admin. */
export function registrationRoutes(domain: Domain): EndpointRoute[] {
  return [
    {
      base: 'rest',
      method: 'POST',
      template: '/actions/runner-registration',
      run: (call) => exchange(domain, call),
    },
    {
      base: 'rest',
      method: 'POST',
      template: '/actions/runners/register',
      run: (call) => register(domain, call),
    },
  ];
}

function exchange({ context }: Domain, call: Call): Reply {
  const { url, runner_event: event } = readJson(call, registrationShape);
  const scope = scopeOf(call, event === 'remove' ? 'removal' : 'registration', url);
  const { token } = context.credentials.issue('tenant', scope, context.settings.timings.registrationToken);
  return jsonReply(200, {
    url: `${context.urls().tenant}/`,
    token_schema: 'OAuthAccessToken',
    token,
    ...(context.settings.runnerAdmin && { use_v2_flow: true }),
  });
}

function register(domain: Domain, call: Call): Reply {
  const { context, runners } = domain;
  const body = readJson(call, registerShape, 422);
  const scope = scopeOf(call, 'registration', body.url);
  const options: NewRunner = {
    name: body.name,
    scope,
    groupId: body.group_id,
    labels: body.labels.map(({ name }) => name),
    ephemeral: body.ephemeral,
    jit: false,
    publicKey: keyOfXml(body.public_key),
    version: body.version,
  };
  const runner =
    body.replace === true ? runners.replace(body.runner_id ?? 0, options) : runners.register(options);
  const urls = context.urls();
  return jsonReply(200, {
    id: runner.id,
    name: runner.name,
    authorization: {
      authorization_url: urls.token,
      server_url: `${urls.broker}/`,
      client_id: runner.clientId,
    },
  });
}

/** @throws Refused as {@link scopeOfToken} does; 404, as a violation, when the token belongs to another owner than the URL */
function scopeOf(call: Call, token: OwnerToken, url: string): Scope {
  const scope = scopeOfToken(call, token);
  if (scopeOfUrl(url) === scope) return scope;
  throw new Refused(404, 'Not Found', { violation: 'wrong-credential' });
}

/** Returns the scope of a configuration URL: an organization, a repository or an enterprise. */
function scopeOfUrl(url: string): Scope | undefined {
  const [first = '', second, third] = new URL(url).pathname
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '');
  if (third !== undefined) return undefined;
  if (first === 'enterprises' && second !== undefined) return `enterprises/${second}`;
  return second === undefined ? `orgs/${first}` : `repos/${first}/${second}`;
}

function keyOfXml(xml: string): KeyObject {
  const [, modulus] = /<Modulus>([^<]{1,2000})<\/Modulus>/.exec(xml) ?? [];
  const [, exponent] = /<Exponent>([^<]{1,100})<\/Exponent>/.exec(xml) ?? [];
  return publicKeyOf(modulus, exponent);
}

/** @throws Refused 422, as a violation, for a value that is not an RSA key. Both parts are base64. */
export function publicKeyOf(modulus = '', exponent = ''): KeyObject {
  const part = (text: string): string => Buffer.from(text, 'base64').toString('base64url');
  try {
    return createPublicKey({ format: 'jwk', key: { kty: 'RSA', n: part(modulus), e: part(exponent) } });
  } catch {
    throw new Refused(422, 'The public key is not an RSA key.', { violation: 'malformed-request' });
  }
}
