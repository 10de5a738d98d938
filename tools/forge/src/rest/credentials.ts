import type { IncomingHttpHeaders } from 'node:http';

/** Returns the token of `Authorization: Bearer`, `token` or `Basic` (the password or, without one, the user name). */
export function tokenOf(headers: IncomingHttpHeaders): string | undefined {
  const [, scheme = '', value = ''] = /^(\S+)\s+(\S+)\s*$/.exec(headers.authorization ?? '') ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
    case 'token':
      return value;
    case 'basic': {
      const text = Buffer.from(value, 'base64').toString('utf8');
      const colon = text.indexOf(':');
      const password = text.slice(colon + 1);
      return password === '' || password === 'x-oauth-basic' ? text.slice(0, Math.max(colon, 0)) : password;
    }
    default:
      return undefined;
  }
}
