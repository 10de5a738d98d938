import { truncate } from '@interlock/base';

const MASK = '[redacted]';
/* V8 keeps a state for each round of a loop in a pattern, and throws when a text of megabytes has too many of them. */
const MAX_LENGTH = 256 * 1024;

/* Tokens that are recognisable by themselves, wherever they stand in a line. */
const TOKENS: readonly RegExp[] = [
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9_]{16,}/g, // GitHub
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bgl(?:pat|ptt|dt|rt|cbt|soat|oas|ft|agent)-[\w.-]{16,}/g, // GitLab
  /\bxox[abposr]-[\w-]{10,}/g, // Slack
  /\bAKIA[0-9A-Z]{16}\b/g, // AWS
];
/* JSON Web Tokens: service accounts, GitHub Apps, brokers. A run of their characters is read once, from its start. */
const RUN_BEFORE_DOT = /(?<![\w-])[\w-]+(?=\.[\w-]{5})/g;
const TOKEN_HEADER = /\beyJ[\w-]{10}/;
const REST_OF_TOKEN = /(\[redacted\])\.[\w-]{5,}(?:\.[\w-]*)?/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/g;
const END_OF_PRIVATE_KEY = /-----END [A-Z ]*PRIVATE KEY-----/g;
const AUTHORIZATION = /\b(Bearer +|Basic +|authorization: *token +)[\w.~+/=-]{8,}/gi;
/* It begins behind the scheme: a search for the start of a scheme would read each of its parts again. */
const URL_USER_INFO = /(:\/\/)[^/\s"'@]+@/g;
const URL_SECRET =
  /([?&](?:access_token|private_token|token|sig|signature|client_secret|password)=)[^&\s"']+/gi;

/* A JSON member whose key ends with one of these words holds a secret, at whatever depth; `secretRef` does not. */
const SECRET_MEMBER =
  /"[^"\\]*(?:password|passwd|token|secret|authorization|cookie|private_?key|credentials?)":"/gi;

/**
 * Returns a text, or a line of JSON, with secret members, every known form of a token and the credentials in URLs masked.
 * What is longer than 256 Ki characters is cut, and a line ends as a line.
 */
export function redactText(text: string): string {
  if (text.length > MAX_LENGTH) return redact(truncate(text, MAX_LENGTH)) + (text.endsWith('\n') ? '\n' : '');
  return redact(text);
}

function redact(text: string): string {
  const members = maskSpans(text, SECRET_MEMBER, endOfString, (start) => `${start}${MASK}"`);
  const keys = maskSpans(members, PRIVATE_KEY, endOfKey, () => MASK);
  const masked = TOKENS.reduce((rest, pattern) => rest.replace(pattern, MASK), keys);
  return masked
    .replace(RUN_BEFORE_DOT, maskToken)
    .replace(REST_OF_TOKEN, '$1')
    .replace(AUTHORIZATION, `$1${MASK}`)
    .replace(URL_USER_INFO, `$1${MASK}@`)
    .replace(URL_SECRET, `$1${MASK}`);
}

/** Returns the text with `maskOf` what `start` matches in place of it and all that follows up to where `endOf` says. */
function maskSpans(
  text: string,
  start: RegExp,
  endOf: (text: string, from: number) => number,
  maskOf: (start: string) => string,
): string {
  const pattern = new RegExp(start);
  let masked = '';
  let at = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    masked += text.slice(at, match.index) + maskOf(match[0]);
    at = endOf(text, pattern.lastIndex);
    pattern.lastIndex = at;
  }
  return masked + text.slice(at);
}

/** Returns where the string that begins at `from` is over, its quotation mark included. */
function endOfString(text: string, from: number): number {
  for (let at = from; ; at++) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text[at - backslashes - 1] === '\\') backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
}

/** Returns where the key is over; what is cut off has no end. */
function endOfKey(text: string, from: number): number {
  const end = new RegExp(END_OF_PRIVATE_KEY);
  end.lastIndex = from;
  return end.test(text) ? end.lastIndex : text.length;
}

function maskToken(run: string): string {
  const at = run.search(TOKEN_HEADER);
  return at < 0 ? run : run.slice(0, at) + MASK;
}
