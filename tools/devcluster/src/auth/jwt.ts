import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { JsonObject } from '../schema/types.js';

/** Signs and checks JSON Web Tokens with one ES256 key (RFC 7515, RFC 7518 §3.4). */
interface JwtKey {
  sign(claims: JsonObject): string;
  /** Returns the claims of a token that this key signed; undefined for anything else. Dates are not checked. */
  claims(token: string): unknown;
}

/** Maximum length of a token, which has to fit into a request header. */
const maxTokenLength = 16 * 1024;

/** Returns a key that signs and reads tokens. `privateKey`: an EC P-256 key. */
export function jwtKey(privateKey: KeyObject): JwtKey {
  const publicKey = createPublicKey(privateKey);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const header = encode({ alg: 'ES256', kid: createHash('sha256').update(spki).digest('base64url') });
  return {
    sign(claims) {
      const content = `${header}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${content}.${signature.toString('base64url')}`;
    },
    claims(token) {
      const [head, payload, signature, ...rest] = token.length > maxTokenLength ? [] : token.split('.');
      if (head !== header || payload === undefined || signature === undefined || rest.length > 0)
        return undefined;
      const valid = verify(
        'sha256',
        Buffer.from(`${head}.${payload}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      );
      return valid ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : undefined;
    },
  };
}

function encode(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
