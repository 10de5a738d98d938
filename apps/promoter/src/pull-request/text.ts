import { createHash } from 'node:crypto';
import type { PullRequest } from '@interlock/api';
import type { ScmView } from './observed.js';

/** Returns a digest of the text and labels; it changes exactly when they have to be sent again. */
export function specDigest({ sourceBranch, title, description, labels }: PullRequest['spec']): string {
  const parts = [sourceBranch, title, description ?? '', ...(labels ?? [])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

const deferredMark = ' deferred';

/** Returns the digest of a deferred text, which is sent when the pull request is next read. */
export function deferredDigest(spec: PullRequest['spec']): string {
  return specDigest(spec) + deferredMark;
}

export function isDeferred(digest: string | undefined): boolean {
  return digest?.endsWith(deferredMark) === true;
}

/** Returns whether the text of the spec was sent to the SCM, or can wait until the pull request is read. */
export function isSent(pullRequest: PullRequest, view: ScmView): boolean {
  const { spec, status } = pullRequest;
  return status?.specDigest === specDigest(spec) || (view === 'unread' && isDeferredFor(pullRequest));
}

function isDeferredFor({ spec, status }: PullRequest): boolean {
  return status?.specDigest === deferredDigest(spec);
}
