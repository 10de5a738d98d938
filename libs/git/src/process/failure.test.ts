import { expect, test } from '@jest/globals';
import { gitFailure, redact } from './failure.js';

test.each([
  ["fatal: Authentication failed for 'https://h/r/'", 'Unauthorized', 'AuthenticationFailed'],
  [
    "fatal: could not read Username for 'https://h': terminal prompts disabled",
    'Unauthorized',
    'AuthenticationFailed',
  ],
  [
    'git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    'Unauthorized',
    'AuthenticationFailed',
  ],
  [
    "remote: Permission to o/r.git denied to bot.\nfatal: unable to access 'https://h/': The requested URL returned error: 403",
    'Unauthorized',
    'AccessDenied',
  ],
  [
    "remote: Repository not found.\nfatal: repository 'https://h/r/' not found",
    'NotFound',
    'RepositoryNotFound',
  ],
  [
    "fatal: '/srv/r' does not appear to be a git repository\nfatal: Could not read from remote repository.",
    'NotFound',
    'RepositoryNotFound',
  ],
  ["fatal: unable to access 'https://h/': Could not resolve host: h", 'Transient', 'HostNotResolved'],
  ["fatal: unable to access 'https://h/': Failed to connect to h port 443", 'Transient', 'RemoteUnavailable'],
  [
    "fatal: unable to access 'https://h/': The requested URL returned error: 502",
    'Transient',
    'RemoteUnavailable',
  ],
  ['error: RPC failed; curl 92\nfatal: early EOF', 'Transient', 'RemoteUnavailable'],
  [
    "fatal: unable to access 'https://h/': server certificate verification failed",
    'Permanent',
    'CertificateRefused',
  ],
  ['! refs/heads/x:refs/heads/x [rejected] (stale info)', 'Conflict', 'RefMoved'],
  ['! abc:refs/heads/x [rejected] (fetch first)', 'Conflict', 'RefMoved'],
  [
    '! abc:refs/heads/x [remote rejected] (cannot lock ref x: is at a but expected b)',
    'Conflict',
    'RefMoved',
  ],
  [
    'remote: error: GH006: Protected branch update failed\n! a:b [remote rejected] (protected branch hook declined)',
    'Permanent',
    'PushDeclined',
  ],
  ['! a:b [remote rejected] (pre-receive hook declined)', 'Permanent', 'PushDeclined'],
  ["fatal: transport 'ext' not allowed", 'Invalid', 'UrlInvalid'],
  ['fatal: remote error: upload-pack: not our ref 1', 'NotFound', 'ObjectNotFound'],
  [
    'error: object 1: missingEmail: invalid author/committer line\nfatal: fsck error in packed object',
    'Invalid',
    'ObjectMalformed',
  ],
  ['fatal: write error: No space left on device', 'Transient', 'DiskFull'],
  ["error: cannot lock ref 'x': Unable to create '/c/x.lock': File exists.", 'Transient', 'LockLeft'],
  ['something never seen', 'Transient', 'GitFailed'],
  ['', 'Transient', 'GitFailed'],
])('%j is %s %s', (output, type, reason) => {
  expect(gitFailure('fetch', output, [])).toMatchObject({ type, reason });
});

test('the message has what git said, on one line, without hints, bounded', () => {
  expect(gitFailure('push', 'fatal: one\nhint: try two\n\nerror: three\n', []).message).toBe(
    'git push failed: one; three',
  );
  expect(gitFailure('push', 'x'.repeat(5_000), []).message.length).toBeLessThan(600);
});

test('redact', () => {
  expect(redact('token s3cret at https://u:p@h/r', ['s3cret'])).toBe('token *** at https://***@h/r');
});

test.each([
  "Unable to create '",
  "transport '",
  "repository '",
  'Permission to ',
  'src refspec ',
  '://',
  'a.a',
])('what a remote repeats, %j, is read in one pass', (unit) => {
  const output = unit.repeat(200_000);
  expect(gitFailure('fetch', output, ['s3cret']).reason).toBe('GitFailed');
});
