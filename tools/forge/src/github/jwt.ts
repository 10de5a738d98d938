import { createVerify } from 'node:crypto';
import type { WallClock } from '../clock.js';
import type { App } from '../domain/model.js';
import { GithubError } from './errors.js';

const maxLifetimeSeconds = 600;
/** Clock skew that GitHub accepts. */
const leewaySeconds = 5;

/** Returns whether a bearer token has the form of a JSON web token. */
export function isJwt(token: string): boolean {
  return token.split('.').length === 3;
}

/**
 * Verifies the JSON web token of a GitHub App: RS256, with `iss` as the id or client id of the App, `iat` not in the
 * future, and `exp` in the future by at most ten minutes (GitHub, "Generating a JSON web token").
 *
 * @throws GithubError 401 with the text of GitHub, by which clients recognize a wrong clock; 404 for an unknown App.
 */
export function verifyAppJwt(token: string, apps: readonly App[], clock: WallClock): App {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const header = decode(head);
  const claims = decode(payload);
  if (header?.['alg'] !== 'RS256' || claims === undefined) throw undecodable();
  const issuer = String(claims['iss']);
  const app = apps.find(({ id, clientId }) => String(id) === issuer || clientId === issuer);
  if (app === undefined) throw new GithubError(404, 'Integration not found');
  const verifier = createVerify('RSA-SHA256').update(`${head}.${payload}`);
  if (!verifier.verify(app.publicKeyPem, signature, 'base64url')) throw undecodable();

  const now = Math.floor(clock.now() / 1000);
  const { iat, exp } = claims;
  if (!isTime(exp) || exp <= now) {
    throw refused(
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (exp > now + maxLifetimeSeconds + leewaySeconds) {
    throw refused("'Expiration time' claim ('exp') is too far in the future");
  }
  if (!isTime(iat) || iat > now + leewaySeconds) {
    throw refused(
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  return app;
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function refused(message: string): GithubError {
  return new GithubError(401, message);
}

function undecodable(): GithubError {
  return refused('A JSON web token could not be decoded');
}
