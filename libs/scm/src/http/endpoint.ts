import { TypedError } from '@interlock/api';

/**
 * Returns the origin, such as `https://git.example.com` or `http://127.0.0.1:8080`.
 * @param domain a host, with a port if it is not the scheme's, and with a scheme if it is not https.
 * @param field names the value in the error.
 * @throws TypedError `Invalid` for anything else: a path, a user, a query.
 */
export function originOf(domain: string, field: string): string {
  const text = /^https?:\/\//.test(domain) ? domain : `https://${domain}`;
  if (URL.canParse(text)) {
    const url = new URL(text);
    const plain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    if (plain && url.hostname !== '' && text.toLowerCase().startsWith(url.protocol) && url.pathname === '/') {
      return url.origin;
    }
  }
  throw new TypedError(
    'Invalid',
    `${field}: ${JSON.stringify(domain)} is not a host; write it like git.example.com or http://127.0.0.1:8080`,
  );
}
