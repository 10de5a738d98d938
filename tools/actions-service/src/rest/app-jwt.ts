import type { Clock } from '@interlock/base';
import { unverifiedClaims, type Identity } from '../http/identity.js';
import { Refused } from '../record/refused.js';
import type { AppKeys } from './app-keys.js';

/** The GitHub App that clients authenticate as. */
export interface ServiceApp {
  id: number;
  clientId: string;
  keys: AppKeys;
}

const longestLifeSeconds = 600;
/** How far the clock of a client may be ahead. */
const leewaySeconds = 5;

/**
 * Checks the JSON web token by which an App identifies itself: RS256, `iss` its id or client id, `iat` not in the
 * future, and a lifetime of at most ten minutes (GitHub, "Generating a JSON web token").
 *
 * @throws Refused 401.
 */
export function requireApp(
  { subject, scheme, token, credential }: Identity,
  app: ServiceApp,
  clock: Clock,
): void {
  if (subject.kind === 'anonymous')
    throw new Refused(401, 'Requires authentication', { violation: 'missing-credential' });
  if (credential !== undefined || scheme !== 'bearer') throw undecodable('wrong-credential');
  const parsed = unverifiedClaims(token);
  if (parsed === undefined) throw undecodable('unknown-credential');
  const { header, claims } = parsed;
  const { iss, iat, exp } = claims;
  if ((header as { alg?: unknown }).alg !== 'RS256') throw undecodable('invalid-assertion');
  if (String(iss) !== String(app.id) && iss !== app.clientId) {
    throw new Refused(404, 'Integration not found', { violation: 'invalid-assertion' });
  }
  const at = token.lastIndexOf('.');
  const text = Buffer.from(token.slice(0, at), 'utf8');
  if (!app.keys.verify(text, Buffer.from(token.slice(at + 1), 'base64url'))) {
    throw undecodable('invalid-assertion');
  }
  const now = Math.floor(clock.now() / 1000);
  if (typeof exp !== 'number' || exp <= now) {
    throw new Refused(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (typeof iat !== 'number' || iat > now + leewaySeconds) {
    throw new Refused(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  if (exp > now + longestLifeSeconds + leewaySeconds || exp - iat > longestLifeSeconds + 60) {
    throw new Refused(401, "'Expiration time' claim ('exp') is too far in the future", {
      violation: 'invalid-assertion',
    });
  }
}

function undecodable(violation: 'wrong-credential' | 'unknown-credential' | 'invalid-assertion'): Refused {
  return new Refused(401, 'A JSON web token could not be decoded', { violation });
}
