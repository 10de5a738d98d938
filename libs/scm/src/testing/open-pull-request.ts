import { expect } from '@jest/globals';
import { ensureMerged, ensurePullRequest } from '../ensure.js';
import type { PullRequestInfo } from '../scm.js';
import type { Current } from './contract-fixture.js';

/** The pull request of most cases, and its merge. */
export const base = 'env/dev';
export const head = 'env/dev-next';
export const method = 'merge';

/** Opens a pull request with a commit on either side. */
export async function open(current: Current): Promise<PullRequestInfo> {
  await current().commit(base);
  await current().commit(head);
  const { repository, clock } = current();
  const wanted = { head, base, title: 'Promote', body: '' };
  return (await clock.run(ensurePullRequest(repository, wanted))).pullRequest;
}

/** Expects that a merge of the observed head is refused with this error. */
export async function expectRefusal(
  current: Current,
  { id, headSha }: Pick<PullRequestInfo, 'id' | 'headSha'>,
  error: { type: string; reason?: string; message?: unknown },
): Promise<void> {
  const { repository, clock } = current();
  const merged = clock.run(ensureMerged(repository, id, { base, headSha, method }));
  await expect(merged).rejects.toMatchObject(error);
}
