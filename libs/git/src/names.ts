import { TypedError } from '@interlock/api';
import { truncate } from '@interlock/base';

/** The transports a remote may use; `ext::` and every other remote helper is refused. */
export type Transport = 'https' | 'http' | 'ssh' | 'file';

const objectId = /^[0-9a-f]{40}$/;
const control = new RegExp('[\\u0000-\\u001f\\u007f]');
const maxNameBytes = 1024;

/** Returns whether `text` is a full SHA-1 object id in lower case, the only supported object format. */
export function isObjectId(text: string): boolean {
  return objectId.test(text);
}

/** Returns `sha` itself. @throws TypedError `Invalid` unless it is a full SHA-1 object id. */
export function checkObjectId(sha: string): string {
  if (isObjectId(sha)) return sha;
  throw invalid(
    'ObjectIdInvalid',
    `${quote(sha)} is not a full object id (40 lower-case hexadecimal digits)`,
  );
}

/**
 * Returns the parts of a path inside a tree; none for the root (`''` or `.`).
 * @throws TypedError `Invalid` for absolute paths, empty or `.`/`..` parts and control characters.
 */
export function pathParts(path: string): string[] {
  if (path === '' || path === '.') return [];
  const parts = path.split('/');
  const bad = parts.some((part) => part === '' || part === '.' || part === '..') || control.test(path);
  if (bad || Buffer.byteLength(path) > 4 * maxNameBytes) {
    throw invalid(
      'PathInvalid',
      `path ${quote(path)} must be relative, without "..", empty parts or control characters`,
    );
  }
  return parts;
}

/**
 * Returns the URL for git.
 * @throws TypedError `Invalid` for a transport that is not allowed, for credentials inside the URL and for text that git
 *   could read as an option or a remote helper (`ext::…`).
 */
export function checkUrl(url: string, allowed: readonly Transport[]): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw invalid(
      'UrlInvalid',
      `repository URL ${quote(withoutUserInfo(url))} is not a URL with a scheme (https://host/path)`,
    );
  }
  const shown = quote(withoutUserInfo(url));
  const transport = allowed.find((name) => parsed.protocol === `${name}:`);
  if (transport === undefined || !url.startsWith(`${transport}://`)) {
    throw invalid('UrlInvalid', `repository URL ${shown} must use one of: ${allowed.join(', ')}`);
  }
  if (control.test(url) || url.includes(' '))
    throw invalid('UrlInvalid', `repository URL ${shown} contains a control character or space`);
  if (parsed.password !== '' || (transport !== 'ssh' && parsed.username !== '')) {
    throw invalid(
      'UrlInvalid',
      `repository URL ${shown} must not contain credentials; store them in the Secret of the provider`,
    );
  }
  if (
    transport !== 'file' &&
    (parsed.hostname === '' || parsed.hostname.startsWith('-') || parsed.username.startsWith('-'))
  ) {
    throw invalid('UrlInvalid', `repository URL ${shown} has no valid host`);
  }
  return url;
}

/** Returns `text` with the user information of every URL in it replaced. */
export function withoutUserInfo(text: string): string {
  return text.replace(/(:\/\/)[^/@\s]+@/g, '$1***@');
}

function invalid(reason: string, message: string): TypedError {
  return new TypedError('Invalid', message, { reason });
}

function quote(text: string): string {
  return JSON.stringify(truncate(text, 200));
}
