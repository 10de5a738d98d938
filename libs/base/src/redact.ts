import { truncate } from './text.js';

const mask = '[redacted]';
/* V8 keeps a state for each iteration of a loop in a pattern, and throws when a text of megabytes has too many of
   them. */
const maxLength = 256 * 1024;

/* Tokens that are recognizable by their form, anywhere in a line. */
const tokens: readonly RegExp[] = [
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9_]{16,}/g, // GitHub
  /\bgithub_pat_[A-Za-z0-9_]{20,}/g,
  /\bgl(?:pat|ptt|dt|rt|cbt|soat|oas|ft|agent)-[\w.-]{16,}/g, // GitLab
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----END)[^])*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
  /\bxox[abposr]-[\w-]{10,}/g, // Slack
  /\bAKIA[0-9A-Z]{16}\b/g, // AWS
];
/* JSON Web Tokens: service accounts, GitHub Apps, brokers. A run of their characters is read once, from its start. */
const jsonWebToken = /(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]{10,}\.[\w-]{5,}(?:\.[\w-]*)?/g;
const authorization = /\b(Bearer +|Basic +|authorization: *token +)[\w.~+/=-]{8,}/gi;
/* The match begins after the scheme: a search for the start of the scheme would reread each of its parts. */
const urlUserInfo = /(:\/\/)[^/\s"'@]+@/g;
const urlSecret =
  /([?&](?:access_token|private_token|token|sig|signature|client_secret|password)=)[^&\s"']+/gi;

/* A JSON member whose key ends with one of these words is a secret, at any depth; `secretRef` is not. */
const secretMember =
  /("[^"\\]*(?:password|passwd|token|secret|authorization|cookie|private_?key|credentials?)":)"(?:[^"\\]|\\.)*"/gi;

/**
 * Returns a text or a line of JSON with secret members, every known form of a token and the credentials in URLs masked.
 * Text beyond 256 Ki characters is cut; a line that is cut still ends with its line break.
 */
export function redactText(text: string): string {
  if (text.length <= maxLength) return redact(text);
  return redact(truncate(text, maxLength)) + (text.endsWith('\n') ? '\n' : '');
}

function redact(text: string): string {
  const members = text.replace(secretMember, `$1"${mask}"`);
  const masked = tokens.reduce((rest, pattern) => rest.replace(pattern, mask), members);
  return masked
    .replace(jsonWebToken, `$1${mask}`)
    .replace(authorization, `$1${mask}`)
    .replace(urlUserInfo, `$1${mask}@`)
    .replace(urlSecret, `$1${mask}`);
}
