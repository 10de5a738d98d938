import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../schema/types.js';

/** Signs and checks JSON Web Tokens with one ES256 key (RFC 7515, RFC 7518 §3.4). */
interface JwtKey {
  sign(claims: JsonObject): string;
  /** Returns the claims of a token that this key signed; undefined for anything else. Dates are not checked. */
  claims(token: string): unknown;
}

/** Maximum length of a token, which has to fit into a request header. */
const maxTokenLength = 16 * 1024;
/** Each app has one token and sends it with every request, so few tokens are in use. */
const maxKnownTokens = 128;

/** Returns a key that signs and reads tokens. `privateKey`: an EC P-256 key. */
export function jwtKey(privateKey: KeyObject): JwtKey {
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const header = encode({ alg: 'ES256', kid: createHash('sha256').update(spki).digest('base64url') });
  /* The signature of a token stays valid, and checking it again would take longer than most requests. */
  const known = new LRUCache<string, JsonObject>({ max: maxKnownTokens });
  return {
    sign(claims) {
      const content = `${header}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${content}.${signature.toString('base64url')}`;
    },
    claims(token) {
      const earlier = known.get(token);
      if (earlier !== undefined) return earlier;
      const [head, payload, signature, ...rest] = token.length > maxTokenLength ? [] : token.split('.');
      if (head !== header || payload === undefined || signature === undefined || rest.length > 0)
        return undefined;
      const valid = verify(
        'sha256',
        Buffer.from(`${head}.${payload}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      );
      if (!valid) return undefined;
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JsonObject;
      known.set(token, claims);
      return claims;
    },
  };
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
