import type { IncomingHttpHeaders } from 'node:http';
import type { Credentials, ReadCredential } from '../domain/credentials.js';
import type { RequestSubject } from '../record/request-journal.js';
import { Refused } from '../record/refused.js';

/** The claimed origin of a request, before its endpoint checks it. */
export interface Identity {
  subject: RequestSubject;
  scheme: string;
  token: string;
  /** The properties of the token; undefined unless the service issued it. */
  credential: ReadCredential | undefined;
}

const anonymous: Identity = {
  subject: { kind: 'anonymous', id: '' },
  scheme: '',
  token: '',
  credential: undefined,
};

/** The schemes, in lower case, with which GitHub accepts a credential. */
const schemes: Readonly<Record<ReadCredential['kind'], readonly string[]>> = {
  installation: ['bearer', 'token', 'basic'],
  registration: ['remoteauth'],
  removal: ['remoteauth'],
  tenant: ['bearer'],
  runner: ['bearer'],
  job: ['bearer'],
};

/** Returns the identity that the credential of a request claims. */
export function identify(headers: IncomingHttpHeaders, credentials: Credentials): Identity {
  const { authorization } = headers;
  if (authorization === undefined) return anonymous;
  const space = authorization.indexOf(' ');
  const scheme = authorization.slice(0, Math.max(0, space)).toLowerCase();
  const text = authorization.slice(space + 1);
  const token = scheme === 'basic' ? passwordOf(text) : text;
  const credential = credentials.read(token);
  const subject: RequestSubject =
    credential === undefined ? subjectOfForeign(token) : { kind: credential.kind, id: credential.subject };
  return { subject, scheme, token, credential };
}

function passwordOf(basic: string): string {
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
}

/** Returns the claims of a token that the service did not issue, without checking them; undefined when it has none. */
export function unverifiedClaims(
  token: string,
): { header: unknown; claims: Record<string, unknown> } | undefined {
  const [head = '', payload = '', , more] = token.split('.');
  if (payload === '' || more !== undefined || token.length > 8_192) return undefined;
  try {
    const header: unknown = JSON.parse(Buffer.from(head, 'base64url').toString('utf8'));
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? { header, claims: { ...claims } } : undefined;
  } catch {
    return undefined;
  }
}

function subjectOfForeign(token: string): RequestSubject {
  const issuer = unverifiedClaims(token)?.claims['iss'];
  if (typeof issuer !== 'string' && typeof issuer !== 'number') return { kind: 'unknown', id: '' };
  return { kind: 'app', id: String(issuer).slice(0, 100) };
}

/**
 * Returns the subject of a credential of one of the kinds.
 *
 * @throws Refused 401; as a violation unless the credential is of one of the kinds, has a scheme for it, and is no longer valid.
 */
export function requireCredential(
  { subject, credential, scheme }: Identity,
  kinds: readonly ReadCredential['kind'][],
  message: string,
): ReadCredential {
  if (subject.kind === 'anonymous') throw new Refused(401, message, { violation: 'missing-credential' });
  if (credential === undefined && subject.kind !== 'app') {
    throw new Refused(401, message, { violation: 'unknown-credential' });
  }
  if (credential === undefined || !kinds.includes(credential.kind)) {
    throw new Refused(401, message, { violation: 'wrong-credential' });
  }
  if (!schemes[credential.kind].includes(scheme)) {
    throw new Refused(401, message, { violation: 'wrong-credential' });
  }
  if (credential.state !== 'valid') throw new Refused(401, message);
  return credential;
}
