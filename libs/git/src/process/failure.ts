import { TypedError, type ErrorType } from '@interlock/api';
import { truncate } from '@interlock/base';
import { withoutUserInfo } from '../names.js';

interface Rule {
  pattern: RegExp;
  type: ErrorType;
  reason: string;
}

/** The reason for a lock that a killed process has left behind. */
export const lockLeft = 'LockLeft';
/** The reason when the mirror's folder has vanished. */
export const mirrorLost = 'MirrorLost';

/** The reason when the mirror's files are not what git wrote. */
export const mirrorDamaged = 'MirrorDamaged';
/** The reason when the disk is full. */
export const diskFull = 'DiskFull';
/** The reason when git does not accept objects of the remote. */
export const objectMalformed = 'ObjectMalformed';
/** The reason when the repository exceeds the maximum size of a mirror. */
export const repositoryTooLarge = 'RepositoryTooLarge';
/** The reason when a process needs more memory than it may use. */
export const memoryExceeded = 'MemoryExceeded';
/** The reason when the cause is unknown. */
export const gitFailed = 'GitFailed';

/** The reason when the remote names another URL. */
export const redirected = 'Redirected';

/* The first match wins. The texts are those of git 2.38+ with LC_ALL=C, of curl, and of the large forges' push refusals.
   Remotes control parts of them, so the text between two words of a pattern must not contain the first one again. */
const rules: readonly Rule[] = [
  rule(/Unable to create '[^']+\.lock': File exists/i, 'Transient', lockLeft),
  /* Before the messages about the object for which memory was missing. */
  rule(
    /Out of memory|Cannot allocate memory|(unable to|cannot) create (async )?thread/i,
    'Invalid',
    memoryExceeded,
  ),
  rule(
    /\(stale info\)|\(fetch first\)|\(non-fast-forward\)|cannot lock ref|failed to update ref/i,
    'Conflict',
    'RefMoved',
  ),
  /* GitHub, during an incident. */
  rule(/\[remote rejected\] \((internal server error|failure)\)/i, 'Transient', 'RemoteUnavailable'),
  rule(/protected branch|GH006|GH013|hook declined|\[remote rejected\]/i, 'Permanent', 'PushDeclined'),
  rule(
    /Authentication failed|could not read (Username|Password)|returned error: 401|Invalid username or|Permission denied \(publickey|Host key verification failed/i,
    'Unauthorized',
    'AuthenticationFailed',
  ),
  rule(
    /returned error: 403|Permission to \S+ denied|Write access to repository not granted|access denied|not allowed to push/i,
    'Unauthorized',
    'AccessDenied',
  ),
  rule(/returned error: 30[12378]/i, 'Permanent', redirected),
  rule(/returned error: 429/i, 'RateLimited', 'RateLimited'),
  rule(/transport '[^']*' not allowed/i, 'Invalid', 'UrlInvalid'),
  rule(/Could not resolve (host|proxy)|Name or service not known/i, 'Transient', 'HostNotResolved'),
  rule(/certificate/i, 'Permanent', 'CertificateRefused'),
  rule(
    /repository '[^']*' not found|Repository not found|returned error: (404|410)|does not appear to be a git repository|project you were looking for could not be found/i,
    'NotFound',
    'RepositoryNotFound',
  ),
  rule(
    /not our ref|src refspec \S+ does not match any|unadvertised object|Not a valid (commit|object) name|bad object|unable to read|could not parse|not something we can merge|not a valid object/i,
    'NotFound',
    'ObjectNotFound',
  ),
  rule(/fsck error in pack/i, 'Invalid', objectMalformed),
  rule(/not a git repository/i, 'Transient', mirrorLost),
  rule(/No space left on device|Disk quota exceeded/i, 'Transient', diskFull),
  rule(/died of signal 25|File too large/i, 'Invalid', repositoryTooLarge),
  rule(
    /Connection (refused|reset|timed out)|Failed to connect|timed out|early EOF|unexpected disconnect|hung up|RPC failed|returned error: 5\d\d|TLS|SSL/i,
    'Transient',
    'RemoteUnavailable',
  ),
];

/* Problems that git finds in its own files. */
const damage = new RegExp(
  [
    '(packed|loose) object [0-9a-f]+ \\(stored in',
    'corrupt loose object|object file .{1,1000} is empty',
    'is not a GIT packfile|too short to be a packfile|does not match index|non-monotonic index|index file .{1,1000} is too small|wrong index v',
    'inflate: data stream error|unknown object type|failed to (unpack compressed delta|read delta base object|validate delta base)',
    "bad config (file )?line|'origin' does not appear to be|reference broken|bad (object|ref) refs/",
  ].join('|'),
  'i',
);
/* Messages of a remote about its own files, which are not trusted. */
const ofRemote = /^remote: |remote error: /;

/* These messages may contain messages about damage. */
const notOfContent = [lockLeft, diskFull, memoryExceeded];

const rateLimitPauseMs = 60_000;
const maxMessage = 500;

function rule(pattern: RegExp, type: ErrorType, reason: string): Rule {
  return { pattern, type, reason };
}

/** Returns the typed error for a git process that failed; `output` is its stderr (and a push's report). */
export function gitFailure(operation: string, output: string, secrets: readonly string[]): TypedError {
  const found = ruleFor(output);
  const detail = summary(redact(output, secrets));
  return new TypedError(found.type, `git ${operation} failed: ${detail}`, {
    reason: found.reason,
    ...(found.type === 'RateLimited' ? { retryAfterMs: rateLimitPauseMs } : {}),
  });
}

function ruleFor(output: string): Rule {
  const known = rules.find(({ pattern }) => pattern.test(output));
  if (known !== undefined && notOfContent.includes(known.reason)) return known;
  const isDamage = output.split('\n').some((line) => !ofRemote.test(line) && damage.test(line));
  if (isDamage) return rule(damage, 'Transient', mirrorDamaged);
  return known ?? rule(/./, 'Transient', gitFailed);
}

/** Returns `text` without the given secrets and without user information in URLs. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), withoutUserInfo(text));
}

function summary(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^(fatal|error): /, '').trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  return truncate(lines.join('; ') || 'no message', maxMessage);
}
