import type { Domain } from '../../domain/domain.js';
import type { Repository } from '../../domain/model.js';
import type { Commit, Signature } from '../../git/commit.js';
import type { Links } from '../links.js';

/** Returns a commit as the Git API presents it, without files and statistics. */
export function presentGitCommit({ core }: Domain, links: Links, repository: Repository, commit: Commit) {
  const { html, api } = links.repository(core, repository);
  const { sha, tree, message, author, committer, parents } = commit;
  const urlOf = (id: string): string => `${api}/git/commits/${id}`;
  const created = committer.date;
  return {
    sha,
    url: urlOf(sha),
    html_url: `${html}/commit/${sha}`,
    created,
    commit: {
      url: urlOf(sha),
      message,
      author: person(author),
      committer: person(committer),
      tree: { sha: tree, url: `${api}/git/trees/${tree}`, created },
    },
    parents: parents.map((id) => ({ sha: id, url: urlOf(id), created })),
  };
}

function person({ name, email, date }: Signature) {
  return { name, email, date };
}
