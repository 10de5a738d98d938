import { TypedError, type EventResponse } from '@interlock/api';
import { quoted } from '../problem.js';

/* Two hyphens in a row are not for sure inside of an HTML comment. */
const uid = /^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/;
const maxUid = 128;

/**
 * Returns the UID of a response: the key by which its branch, its commit and its pull request are found.
 * @throws TypedError `Invalid` (`UIDInvalid`) when there is none, or when it is not letters and digits in
 * groups parted by single hyphens, as those of Kubernetes are.
 */
export function uidOf({ metadata }: EventResponse): string {
  const own = metadata.uid ?? '';
  if (own.length <= maxUid && uid.test(own)) return own;
  throw new TypedError('Invalid', `the response has no usable metadata.uid: ${quoted(own)}`, {
    reason: 'UIDInvalid',
  });
}

/**
 * Returns the name of the event that a response is about; its own name, where it names none. Of the response
 * alone: the event may be gone when the response is looked at again.
 */
export function eventNameOf({ metadata, spec }: EventResponse): string {
  const name = spec.securityEventRef?.name ?? '';
  return name === '' ? metadata.name : name;
}

/** Returns what marks the text of the pull request of a response; it is not shown. */
export function markerOf(responseUid: string): string {
  return `<!-- interlock-response: ${responseUid} -->`;
}

/**
 * Returns the UID of the response that a text of a pull request is marked with, whatever others wrote around
 * it: the last marker on a line of its own. Undefined when there is none.
 */
export function responseOfBody(body: string): string | undefined {
  return lastOf(body, /^<!-- interlock-response: ([-A-Za-z0-9]{1,128}) -->\s*$/gm);
}

/**
 * Returns the last lines of the message of the commit of a response (git-interpret-trailers): what the commit was made
 * for, and the SHA-256 of the operations that it was made of.
 */
export function trailersOf(responseUid: string, operationsDigest: string): string {
  return `Interlock-Response: ${responseUid}\nInterlock-Operations: ${operationsDigest}`;
}

/** Returns the UID of the response whose trailer a commit message has: the last; undefined when it has none. */
export function responseOfMessage(message: string): string | undefined {
  return lastOf(message, /^Interlock-Response: ([-A-Za-z0-9]{1,128})\s*$/gm);
}

/** Returns the digest of the operations that a commit was made of; undefined when its message does not name it. */
export function operationsOfMessage(message: string): string | undefined {
  return lastOf(message, /^Interlock-Operations: ([0-9a-f]{64})\s*$/gm);
}

function lastOf(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}
