/** The claims of a token that are documented for service accounts. */
interface TokenClaims {
  iss: string;
  sub: string;
  aud: string[];
  exp: number;
  iat: number;
  'kubernetes.io': {
    namespace: string;
    serviceaccount: { name: string; uid: string };
    secret?: { name: string; uid: string };
    pod?: { name: string; uid: string };
    node?: { name: string; uid: string };
  };
}

/** Returns the claims of a JSON Web Token, whose signature is not checked. */
export function claimsOf(token: string): TokenClaims {
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as TokenClaims;
}

/** Returns the token with changed claims and its old signature, which does not match them. */
export function forged(token: string, claims: Partial<TokenClaims>): string {
  const [head = '', , signature = ''] = token.split('.');
  const payload = Buffer.from(JSON.stringify({ ...claimsOf(token), ...claims })).toString('base64url');
  return `${head}.${payload}.${signature}`;
}
