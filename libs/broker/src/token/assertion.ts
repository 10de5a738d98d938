import { constants, randomUUID, sign } from 'node:crypto';
import type { RunnerConfig } from '../wire/jit-config.js';

/** The service refuses a longer span between `nbf` and `exp`, in seconds. */
const lifetimeSeconds = 300;

/**
 * Returns the JWT by which a runner proves its key (RFC 7523, 2.2), signed with RS256, or PS256 where FIPS is required.
 *
 * @param now milliseconds since the epoch by the service's clock
 */
export function signAssertion(config: RunnerConfig, now: number): string {
  const { clientId, authorizationUrl, requiresFips, key } = config;
  const notBefore = Math.floor(now / 1000);
  const claims = {
    sub: clientId,
    iss: clientId,
    aud: authorizationUrl,
    jti: randomUUID(),
    nbf: notBefore,
    exp: notBefore + lifetimeSeconds,
  };
  const text = `${encode({ typ: 'JWT', alg: requiresFips ? 'PS256' : 'RS256' })}.${encode(claims)}`;
  const options = requiresFips
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { key };
  return `${text}.${sign('sha256', Buffer.from(text), options).toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
