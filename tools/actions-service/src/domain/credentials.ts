import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@interlock/base';
import * as z from 'zod';

/** The kinds of tokens of the service. */
export type CredentialKind = 'installation' | 'registration' | 'removal' | 'tenant' | 'runner' | 'job';

interface IssuedCredential {
  token: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

export interface ReadCredential {
  kind: CredentialKind;
  subject: string;
  state: 'valid' | 'expired' | 'revoked';
}

const claimsShape = z.object({
  kind: z.enum(['installation', 'registration', 'removal', 'tenant', 'runner', 'job']),
  sub: z.string(),
  serial: z.number(),
  exp: z.number(),
});
const header = encode({ typ: 'JWT', alg: 'HS256' });
const longestToken = 4_096;

/** Issues and reads the tokens of the service. They are signed, so the service recognizes its own tokens without storing them. */
export class Credentials {
  readonly #secret = randomBytes(32);
  readonly #revokedUpTo = new Map<string, number>();
  #serial = 0;

  constructor(readonly clock: Clock) {}

  issue(
    kind: CredentialKind,
    subject: string,
    lifeMs: number,
    claims: Record<string, unknown> = {},
  ): IssuedCredential {
    const expiresAt = this.clock.now() + lifeMs;
    const payload = encode({
      ...claims,
      kind,
      sub: subject,
      serial: ++this.#serial,
      nbf: Math.floor(this.clock.now() / 1000),
      exp: expiresAt / 1000,
    });
    const text = `${header}.${payload}`;
    const token = `${text}.${this.#sign(text).toString('base64url')}`;
    return { token: kind === 'installation' ? `ghs_${token}` : token, expiresAt };
  }

  /** Returns the content of a token; undefined when the service did not issue it. */
  read(token: string): ReadCredential | undefined {
    if (token.length > longestToken) return undefined;
    const parts = token.replace(/^ghs_/, '').split('.');
    const [head = '', payload = '', signature = ''] = parts;
    if (parts.length !== 3 || head !== header) return undefined;
    const expected = this.#sign(`${head}.${payload}`);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const { kind, sub, serial, exp } = claimsShape.parse(
      JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')),
    );
    return { kind, subject: sub, state: this.#stateOf(kind, sub, serial, exp) };
  }

  /** Expires the issued tokens of a kind: the tokens of one subject, or all of them. */
  revoke(kind: CredentialKind, subject?: string): void {
    this.#revokedUpTo.set(subject === undefined ? kind : `${kind} ${subject}`, this.#serial);
  }

  #stateOf(kind: CredentialKind, subject: string, serial: number, exp: number): ReadCredential['state'] {
    const revoked = Math.max(
      this.#revokedUpTo.get(kind) ?? 0,
      this.#revokedUpTo.get(`${kind} ${subject}`) ?? 0,
    );
    if (serial <= revoked) return 'revoked';
    return exp * 1000 <= this.clock.now() ? 'expired' : 'valid';
  }

  #sign(text: string): Buffer {
    return createHmac('sha256', this.#secret).update(text).digest();
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');
}
