import type { BranchSchema, CommitSchema } from '@gitbeaker/rest';
import type { Repository } from '../../domain/model.js';
import type { Commit } from '../../git/commit.js';
import type { Subset } from '../../rest/subset.js';

/** @param html home page of the project. */
export function presentCommit(html: string, commit: Commit) {
  const { sha, parents, message, author, committer } = commit;
  return {
    id: sha,
    short_id: sha.slice(0, 8),
    created_at: committer.date,
    parent_ids: parents,
    title: message.split('\n', 1)[0] ?? '',
    message,
    author_name: author.name,
    author_email: author.email,
    authored_date: author.date,
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: committer.date,
    web_url: `${html}/-/commit/${sha}`,
  } satisfies Subset<Omit<CommitSchema, 'authored_date' | 'committed_date'>>;
}

export function presentBranch(html: string, repository: Repository, name: string, commit: Commit) {
  return {
    name,
    merged: false,
    protected: repository.protections[name] !== undefined,
    default: name === repository.defaultBranch,
    can_push: true,
    web_url: `${html}/-/tree/${name}`,
    commit: presentCommit(html, commit),
  } satisfies Subset<Omit<BranchSchema, 'commit'>> & { commit: unknown };
}
