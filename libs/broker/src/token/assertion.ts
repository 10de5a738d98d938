import { TypedError } from '@interlock/api';
import { constants, createSign, randomUUID } from 'node:crypto';
import type { RunnerConfig } from '../wire/jit-config.js';

/** The longest time between `nbf` and `exp` that the service accepts, in seconds. */
const lifetimeSeconds = 300;

/**
 * Returns the JWT by which a runner proves its key (RFC 7523, 2.2), signed with RS256, or PS256 where FIPS is required.
 *
 * @param now milliseconds since the epoch by the service's clock
 * @throws TypedError `Invalid` when the key cannot be used
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
  const padding = requiresFips
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
  try {
    /* Unlike `sign`, it does not keep a key until the next garbage collection. */
    const signature = createSign('sha256')
      .update(text)
      .sign({ ...key, ...padding });
    return `${text}.${signature.toString('base64url')}`;
  } catch {
    /* The message must not contain what OpenSSL reports about a key. */
    throw new TypedError(
      'Invalid',
      'the JIT config of the runner has an unusable key in .credentials_rsaparams',
      {
        reason: 'MalformedAnswer',
      },
    );
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
