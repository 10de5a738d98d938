import { expect, test } from '@jest/globals';
import { gitFailure, redact } from './failure.js';

/** Messages of git by the type and the reason of the error. */
const outputs: Readonly<Record<string, readonly string[]>> = {
  'Unauthorized AuthenticationFailed': [
    "fatal: Authentication failed for 'https://h/r/'",
    "fatal: could not read Username for 'https://h': terminal prompts disabled",
    'git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.',
  ],
  'Unauthorized AccessDenied': [
    "remote: Permission to o/r.git denied to bot.\nfatal: unable to access 'https://h/': The requested URL returned error: 403",
  ],
  'NotFound RepositoryNotFound': [
    "remote: Repository not found.\nfatal: repository 'https://h/r/' not found",
    "fatal: '/srv/r' does not appear to be a git repository\nfatal: Could not read from remote repository.",
  ],
  'Transient HostNotResolved': ["fatal: unable to access 'https://h/': Could not resolve host: h"],
  'Transient RemoteUnavailable': [
    "fatal: unable to access 'https://h/': Failed to connect to h port 443",
    "fatal: unable to access 'https://h/': The requested URL returned error: 502",
    'error: RPC failed; curl 92\nfatal: early EOF',
    'remote: Internal Server Error\n!\ta:refs/heads/x\t[remote rejected] (Internal Server Error)',
    'remote: fatal error in commit_refs\n!\ta:refs/heads/x\t[remote rejected] (failure)',
  ],
  'Permanent CertificateRefused': [
    "fatal: unable to access 'https://h/': server certificate verification failed",
  ],
  'Conflict RefMoved': [
    '! refs/heads/x:refs/heads/x [rejected] (stale info)',
    '! abc:refs/heads/x [rejected] (fetch first)',
    '! abc:refs/heads/x [remote rejected] (cannot lock ref x: is at a but expected b)',
  ],
  'Permanent PushDeclined': [
    'remote: error: GH006: Protected branch update failed\n! a:b [remote rejected] (protected branch hook declined)',
    '! a:b [remote rejected] (pre-receive hook declined)',
  ],
  'Invalid UrlInvalid': ["fatal: transport 'ext' not allowed"],
  'NotFound ObjectNotFound': ['fatal: remote error: upload-pack: not our ref 1'],
  'Invalid ObjectMalformed': [
    'error: object 1: missingEmail: invalid author/committer line\nfatal: fsck error in packed object',
  ],
  'Transient DiskFull': ['fatal: write error: No space left on device'],
  'Transient LockLeft': ["error: cannot lock ref 'x': Unable to create '/c/x.lock': File exists."],
  'Transient GitFailed': ['something never seen', ''],
};

test.each(Object.entries(outputs).flatMap(([kind, texts]) => texts.map((text) => [text, kind])))(
  'classifies %j as %s',
  (output = '', kind = '') => {
    const { type, reason } = gitFailure('fetch', output, []);
    expect(`${type} ${reason}`).toBe(kind);
  },
);

test('returns a bounded message of one line, with the errors of git and without its hints', () => {
  expect(gitFailure('push', 'fatal: one\nhint: try two\n\nerror: three\n', []).message).toBe(
    'git push failed: one; three',
  );
  expect(gitFailure('push', 'x'.repeat(5_000), []).message.length).toBeLessThan(600);
});

test('removes secrets and user information from text', () => {
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
])('reads repeated text of a remote, %j, in one pass', (unit) => {
  const output = unit.repeat(200_000);
  expect(gitFailure('fetch', output, ['s3cret']).reason).toBe('GitFailed');
});
