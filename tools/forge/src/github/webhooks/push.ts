import type { Domain } from '../../domain/domain.js';
import type { ForgeEvent } from '../../domain/events.js';
import { noCommit } from '../../git/bare-repository.js';
import type { Links } from '../links.js';

/**
 * Returns the payload of the `push` event. The list of commits, which requires a walk through history, is part of the
 * event.
 */
export function pushPayload(
  { core }: Domain,
  links: Links,
  event: Extract<ForgeEvent, { type: 'push' }>,
): Record<string, unknown> {
  const { repository, sender, ref, before, after, commits, forced } = event;
  const { html } = links.repository(core.owner(repository).login, repository.name);
  const created = before === noCommit;
  const deleted = after === noCommit;
  const listed = commits.map((commit) => ({
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${html}/commit/${commit.sha}`,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
    added: [],
    removed: [],
    modified: [],
  }));
  return {
    ref,
    before,
    after,
    created,
    deleted,
    forced,
    base_ref: null,
    compare: created || deleted ? `${html}/commits/${after}` : `${html}/compare/${before}...${after}`,
    commits: listed,
    head_commit: deleted ? null : (listed.at(-1) ?? null),
    pusher: { name: sender.login, email: sender.email },
  };
}
