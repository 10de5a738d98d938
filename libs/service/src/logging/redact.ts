import { truncate } from '@interlock/base';

const MASK = '[redacted]';
/* V8 keeps a state for each round of a loop in a pattern, and throws when a text of megabytes has too many of them. */
const MAX_LENGTH = 256 * 1024;

/* Tokens that are recognisable by themselves, wherever they stand in a line. */
const TOKENS: readonly RegExp[] = [
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9_]{16,}/g, // GitHub
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bgl(?:pat|ptt|dt|rt|cbt|soat|oas|ft|agent)-[\w.-]{16,}/g, // GitLab
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----END)[^])*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
  /\bxox[abposr]-[\w-]{10,}/g, // Slack
  /\bAKIA[0-9A-Z]{16}\b/g, // AWS
];
/* JSON Web Tokens: service accounts, GitHub Apps, brokers. A run of their characters is read once, from its start. */
const JSON_WEB_TOKEN = /(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]{10,}\.[\w-]{5,}(?:\.[\w-]*)?/g;
const AUTHORIZATION = /\b(Bearer +|Basic +|authorization: *token +)[\w.~+/=-]{8,}/gi;
/* It begins behind the scheme: a search for the start of a scheme would read each of its parts again. */
const URL_USER_INFO = /(:\/\/)[^/\s"'@]+@/g;
const URL_SECRET =
  /([?&](?:access_token|private_token|token|sig|signature|client_secret|password)=)[^&\s"']+/gi;

/* A JSON member whose key ends with one of these words holds a secret, at whatever depth; `secretRef` does not. */
const SECRET_MEMBER =
  /("[^"\\]*(?:password|passwd|token|secret|authorization|cookie|private_?key|credentials?)":)"(?:[^"\\]|\\.)*"/gi;

/**
 * Returns a text, or a line of JSON, with secret members, every known form of a token and the credentials in URLs masked.
 * What is longer than 256 Ki characters is cut; a line that is cut still ends with its line break.
 */
export function redactText(text: string): string {
  if (text.length <= MAX_LENGTH) return redact(text);
  return redact(truncate(text, MAX_LENGTH)) + (text.endsWith('\n') ? '\n' : '');
}

function redact(text: string): string {
  const members = text.replace(SECRET_MEMBER, `$1"${MASK}"`);
  const masked = TOKENS.reduce((rest, pattern) => rest.replace(pattern, MASK), members);
  return masked
    .replace(JSON_WEB_TOKEN, `$1${MASK}`)
    .replace(AUTHORIZATION, `$1${MASK}`)
    .replace(URL_USER_INFO, `$1${MASK}@`)
    .replace(URL_SECRET, `$1${MASK}`);
}
