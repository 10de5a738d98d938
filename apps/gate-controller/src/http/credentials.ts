/** The longest accepted token; the token of a service account has about 1,000 characters. */
const maxToken = 8 * 1024;

/**
 * Returns the token of a Bearer header, or the password of a Basic header, which is the only credential that a URL can carry;
 * undefined if there is none.
 *
 * @param header the Authorization header
 */
export function tokenOf(header: string | undefined): string | undefined {
  const [scheme = '', value = ''] = (header ?? '').trim().split(/\s+/, 2);
  if (value.length > 2 * maxToken) return undefined;
  const token = scheme.toLowerCase() === 'basic' ? passwordOf(value) : value;
  const isKnown = ['bearer', 'basic'].includes(scheme.toLowerCase());
  return isKnown && token !== '' && token.length <= maxToken ? token : undefined;
}

/** Returns the password, which follows the first colon (RFC 7617). */
function passwordOf(value: string): string {
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? '' : text.slice(colon + 1);
}
