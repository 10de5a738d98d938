import { TypedError, type EventResponse } from '@interlock/api';
import { quoted } from '../problem.js';

/* Two consecutive hyphens are not safe inside an HTML comment. */
const uid = /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/;
const maxUid = 128;

/**
 * Returns the UID of a response: the key by which its branch, its commit and its pull request are found.
 * @throws TypedError `Invalid` (`UIDInvalid`) when there is none, or when it is not letters and digits in groups
 *   separated by single hyphens, as in the UIDs of Kubernetes.
 */
export function uidOf({ metadata }: EventResponse): string {
  const own = metadata.uid ?? '';
  if (own.length <= maxUid && uid.test(own)) return own;
  throw new TypedError('Invalid', `the response has no usable metadata.uid: ${quoted(own)}`, {
    reason: 'UIDInvalid',
  });
}

/**
 * Returns the name of the event of a response; the response's own name, if it does not name an event. It depends on
 * the response alone, because the event may be deleted later.
 */
export function eventNameOf({ metadata, spec }: EventResponse): string {
  const name = spec.securityEventRef?.name ?? '';
  return name === '' ? metadata.name : name;
}

/** Returns the invisible marker in the text of the pull request of a response. */
export function markerOf(responseUid: string): string {
  return `<!-- interlock-response: ${responseUid} -->`;
}

/**
 * Returns the UID in the marker of a pull request text, whatever users wrote around it: the UID in the last marker on
 * a separate line. Undefined when there is none.
 */
export function responseOfBody(body: string): string | undefined {
  return lastOf(body, /^<!-- interlock-response: ([-A-Za-z0-9]{1,128}) -->\s*$/gm);
}

/**
 * Returns the last lines of the message of the commit of a response (git-interpret-trailers): the response, and the SHA-256
 * of its operations.
 */
export function trailersOf(responseUid: string, operationsDigest: string): string {
  return `Interlock-Response: ${responseUid}\nInterlock-Operations: ${operationsDigest}`;
}

/**
 * Returns the UID of the response in the last trailer of a commit message that names one; undefined if there is none.
 */
export function responseOfMessage(message: string): string | undefined {
  return lastOf(message, /^Interlock-Response: ([-A-Za-z0-9]{1,128})\s*$/gm);
}

/** Returns the digest of the operations in a commit message; undefined if there is none. */
export function operationsOfMessage(message: string): string | undefined {
  return lastOf(message, /^Interlock-Operations: ([0-9a-f]{64})\s*$/gm);
}

function lastOf(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}
