import { TypedError } from '@interlock/api';
import { parseTrailers } from '../trailers.js';

export interface Identity {
  name: string;
  email: string;
  /** RFC 3339, UTC. */
  date: string;
}

export interface Commit {
  sha: string;
  tree: string;
  parents: string[];
  author: Identity;
  committer: Identity;
  /** The first paragraph, on one line. */
  subject: string;
  /** Everything after the subject, including trailers, without leading or trailing blank lines. */
  body: string;
  /** Values by key as written first; keys that differ only in case are the same. */
  trailers: Record<string, string[]>;
}

/** Returns the commit in `content`, the raw object. @throws TypedError `Invalid` for a malformed commit. */
export function parseCommit(sha: string, content: Buffer): Commit {
  const end = content.indexOf('\n\n');
  const head = content.subarray(0, end < 0 ? content.length : end).toString('utf8');
  const headers = parseHeaders(head);
  const tree = headers.find(([key]) => key === 'tree')?.[1];
  const author = headers.find(([key]) => key === 'author')?.[1];
  const committer = headers.find(([key]) => key === 'committer')?.[1];
  if (tree === undefined || author === undefined || committer === undefined) {
    throw new TypedError('Invalid', `object ${sha} is not a well-formed commit`, { reason: 'CommitInvalid' });
  }
  const message =
    end < 0 ? '' : decode(content.subarray(end + 2), headers.find(([key]) => key === 'encoding')?.[1]);
  return {
    sha,
    tree,
    parents: headers.filter(([key]) => key === 'parent').map(([, value]) => value),
    author: parseIdentity(author),
    committer: parseIdentity(committer),
    ...splitMessage(message),
    trailers: parseTrailers(message),
  };
}

const epoch = '1970-01-01T00:00:00Z';

function parseHeaders(head: string): [key: string, value: string][] {
  const headers: [string, string][] = [];
  for (const line of head.split('\n')) {
    if (line.startsWith(' ')) continue; // The rest of a multi-line value: only signatures have them.
    const space = line.indexOf(' ');
    headers.push([line.slice(0, space), line.slice(space + 1)]);
  }
  return headers;
}

function decode(bytes: Buffer, encoding: string | undefined): string {
  try {
    return new TextDecoder(encoding ?? 'utf-8').decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}

/* The maximum length of a time in seconds and a zone. */
const maxTime = 40;
const maxYear = 9999;

function parseIdentity(line: string): Identity {
  const open = line.indexOf('<');
  const close = line.indexOf('>', open + 1);
  if (open < 0 || close < 0) return { name: '', email: '', date: epoch };
  const time = line.slice(close + 1, close + 1 + maxTime);
  const seconds = Number(/^ (-?\d+) [+-]\d{4}/.exec(time)?.[1] ?? 0);
  return {
    name: line.slice(0, line[open - 1] === ' ' ? open - 1 : open),
    email: line.slice(open + 1, close),
    date: dateOf(seconds),
  };
}

/** Returns the date in RFC 3339, or the epoch for a year that does not have four digits. */
function dateOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  return year >= 0 && year <= maxYear ? date.toISOString().replace('.000Z', 'Z') : epoch;
}

function splitMessage(message: string): { subject: string; body: string } {
  const text = message.replace(/^\s*\n/, '');
  const blank = /\n[^\S\n]*\n/.exec(text);
  const subject = (blank ? text.slice(0, blank.index) : text).split('\n').map((line) => line.trim());
  return {
    subject: subject.filter((line) => line !== '').join(' '),
    body: blank
      ? text
          .slice(blank.index)
          .replace(/^\s*\n/, '')
          .trimEnd()
      : '',
  };
}
