import { GithubError } from './errors.js';
import type { RepositoryCall } from './call.js';

/** Returns the commit that a branch, a tag or an id names. @throws GithubError 422 with the text of GitHub */
export async function commitOf(call: RepositoryCall, revision: string): Promise<string> {
  const sha = await resolveCommit(call, revision);
  if (sha === undefined) throw new GithubError(422, `No commit found for SHA: ${revision}`);
  return sha;
}

/**
 * Returns the commit that a revision names. A branch takes precedence over a tag, and both take precedence over an id.
 * Other revisions of git are not supported.
 */
export async function resolveCommit(call: RepositoryCall, revision: string): Promise<string | undefined> {
  const { refs } = call.repository;
  const name = revision.replace(/^refs\//, '');
  const named =
    refs[`refs/${name}`] ?? refs[`refs/heads/${revision}`] ?? refs[`refs/tags/${revision}`] ?? undefined;
  if (named !== undefined) return call.git.resolve(named);
  if (revision === 'HEAD') return call.git.resolve(`refs/heads/${call.repository.defaultBranch}`);
  return /^[0-9a-f]{4,40}$/.test(revision) ? call.git.resolve(revision) : undefined;
}
