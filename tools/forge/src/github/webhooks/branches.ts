import type { Domain } from '../../domain/domain.js';
import type { Repository } from '../../domain/model.js';
import type { Links } from '../links.js';

/** Returns the branches whose tip is that commit. */
export function branchesOf({ core }: Domain, links: Links, repository: Repository, sha: string) {
  const { api } = links.repository(core.owner(repository).login, repository.name);
  return Object.entries(repository.refs)
    .filter(([ref, tip]) => tip === sha && ref.startsWith('refs/heads/'))
    .map(([ref]) => ({
      name: ref.slice('refs/heads/'.length),
      commit: { sha, url: `${api}/commits/${sha}` },
      protected: repository.protections[ref.slice('refs/heads/'.length)] !== undefined,
    }));
}
