import { constants, verify, type KeyObject } from 'node:crypto';
import type { Domain } from '../domain/domain.js';
import type { Runner } from '../domain/model.js';
import { unverifiedClaims } from '../http/identity.js';
import { jsonReply } from '../http/json.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';

const grantType = 'client_credentials';
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const longestLifeSeconds = 300;
const mostAssertionIds = 100_000;

/** Returns the endpoint that exchanges the assertion of a runner for its token. */
export function tokenRoutes(domain: Domain): EndpointRoute[] {
  const endpoint = new TokenEndpoint(domain);
  return [
    {
      base: 'token',
      method: 'POST',
      template: '/_apis/oauth2/token/{id}',
      run: (call) => endpoint.exchange(call),
    },
  ];
}

class TokenEndpoint {
  readonly #domain: Domain;
  readonly #usedIds = new Set<string>();

  constructor(domain: Domain) {
    this.#domain = domain;
  }

  exchange(call: Call): Reply {
    const assertion = this.#assertionOf(call);
    const { header, claims } =
      unverifiedClaims(assertion) ?? refuse('The assertion is not a JSON web token.');
    const clientId = String(claims['iss']);
    if (claims['iss'] !== claims['sub']) refuse('The subject of the assertion is not its issuer.');
    const runner = this.#runner(clientId);
    call.entry.subject = { kind: 'runner', id: String(runner.id) };
    checkSignature(assertion, header, runner);
    this.#checkClaims(call, claims);
    const { settings, credentials } = this.#domain.context;
    const issued = credentials.issue('runner', String(runner.id), settings.timings.runnerToken, {
      runner_id: String(runner.id),
      runner_group_id: String(runner.groupId),
      is_ephemeral: String(runner.ephemeral),
      labels: JSON.stringify(runner.labels),
    });
    return jsonReply(200, {
      access_token: issued.token,
      token_type: 'JWT',
      expires_in: Math.floor(settings.timings.runnerToken / 1000),
    });
  }

  #assertionOf(call: Call): string {
    const type = call.headers['content-type'] ?? '';
    const form = new URLSearchParams(call.body.toString('utf8'));
    if (!type.startsWith('application/x-www-form-urlencoded')) malformed('The body is not a form.');
    if (form.get('grant_type') !== grantType) malformed('grant_type is not client_credentials.');
    if (form.get('client_assertion_type') !== assertionType)
      malformed('client_assertion_type is not jwt-bearer.');
    return form.get('client_assertion') ?? malformed('client_assertion is missing.');
  }

  /** @throws Refused `invalid_client`, as for a registration that is deleted, or not known everywhere yet. */
  #runner(clientId: string): Runner {
    const runner = this.#domain.context.state.runnersByClient.get(clientId);
    const isKnown = runner !== undefined && runner.consumed === undefined && runner.propagationLeft === 0;
    if (runner !== undefined && runner.propagationLeft > 0) runner.propagationLeft--;
    if (isKnown) return runner;
    throw new Refused(400, `Registration ${clientId} was not found.`, { kind: 'invalid_client' });
  }

  #checkClaims(call: Call, claims: Record<string, unknown>): void {
    const { urls, clock, settings } = this.#domain.context;
    const own = urls().token;
    if (claims['aud'] !== own) refuse(`The audience of the assertion is not ${own}.`);
    const { nbf, exp } = claims;
    if (typeof nbf !== 'number' || typeof exp !== 'number') return void refuse('nbf or exp is missing.');
    if (exp - nbf > longestLifeSeconds) refuse('The lifetime of the assertion is longer than 5 minutes.');
    const now = clock.now() / 1000;
    const skew = settings.timings.clockSkew / 1000;
    if (nbf > now + skew || exp < now - skew) {
      const text = `The assertion is not valid at this time. Current server time is ${new Date(clock.now()).toISOString()}.`;
      throw new Refused(400, text, { kind: 'invalid_client' });
    }
    this.#checkId(claims['jti']);
    if (call.params['id'] === undefined) refuse('The URL has no id.');
  }

  #checkId(id: unknown): void {
    if (!this.#domain.context.settings.strictAssertionIds) return;
    if (typeof id !== 'string' || id === '' || this.#usedIds.has(id))
      refuse('jti is missing or was used before.');
    this.#usedIds.add(String(id));
    const [oldest] = this.#usedIds.size > mostAssertionIds ? this.#usedIds : [];
    if (oldest !== undefined) this.#usedIds.delete(oldest);
  }
}

function checkSignature(assertion: string, header: unknown, { publicKey, fips }: Runner): void {
  const { alg } = header as { alg?: unknown };
  if (alg !== 'RS256' && alg !== 'PS256') return void refuse('The algorithm is neither RS256 nor PS256.');
  if (fips && alg !== 'PS256') refuse('The registration requires PS256.');
  const at = assertion.lastIndexOf('.');
  const text = Buffer.from(assertion.slice(0, at), 'utf8');
  const signature = Buffer.from(assertion.slice(at + 1), 'base64url');
  if (!verify('sha256', text, keyFor(alg, publicKey), signature))
    refuse('The signature of the assertion is wrong.');
}

function keyFor(alg: 'RS256' | 'PS256', key: KeyObject) {
  if (alg === 'RS256') return { key, padding: constants.RSA_PKCS1_PADDING };
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

function refuse(message: string): never {
  throw new Refused(400, message, { kind: 'invalid_client', violation: 'invalid-assertion' });
}

function malformed(message: string): never {
  throw new Refused(400, message, { kind: 'invalid_request', violation: 'malformed-request' });
}
