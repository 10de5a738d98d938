import type { Domain } from '../../domain/domain.js';
import type { ForgeEvent, PullRequestAction, PullRequestEvent } from '../../domain/events.js';
import type { PullRequest, Repository } from '../../domain/model.js';
import type { Links } from '../links.js';
import { presentLabel, presentRepository, presentUser } from '../present/present.js';
import type { Payload, Renderer } from '../../hooks/hook-protocol.js';

type Event<T extends ForgeEvent['type']> = Extract<ForgeEvent, { type: T }>;

/** Maximum number of commits that Gitea lists for a push. */
const maxCommits = 5;

const actions: Partial<Record<PullRequestAction, { event: string; action: string }>> = {
  synchronize: { event: 'pull_request_sync', action: 'synchronized' },
  labeled: { event: 'pull_request_label', action: 'label_updated' },
  unlabeled: { event: 'pull_request_label', action: 'label_updated' },
  review_requested: { event: 'pull_request_review_request', action: 'review_requested' },
};

/** Returns the payload that Gitea sends for an event. */
export function giteaRenderer(domain: Domain, links: Links): Renderer {
  return (event) => {
    const common = {
      repository: presentRepository(domain, links, event.repository),
      sender: presentUser(links, event.sender),
    };
    return payloadsOf(domain, links, event).map((made) => ({
      ...made,
      payload: { ...made.payload, ...common },
    }));
  };
}

function payloadsOf(domain: Domain, links: Links, event: ForgeEvent): Payload[] {
  switch (event.type) {
    case 'push':
      return [push(domain, links, event)];
    case 'pullRequest': {
      const { event: name, action } = actions[event.action] ?? {
        event: 'pull_request',
        action: event.action,
      };
      const { pull, repository, changes } = event;
      const payload = {
        action,
        number: pull.number,
        pull_request: shortPull(domain, links, repository, pull),
        ...(changes === undefined ? {} : { changes: presentChanges(changes) }),
      };
      return [{ event: name, action, payload }];
    }
    case 'status': {
      const { id, sha, context, state, description, targetUrl, createdAt } = event.status;
      const payload = {
        id,
        sha,
        context,
        state,
        description: description ?? '',
        target_url: targetUrl ?? '',
        created_at: createdAt,
      };
      return [{ event: 'status', action: null, payload }];
    }
    case 'review':
    case 'checkRun':
    case 'ping':
      return [];
  }
}

function presentChanges({ title, body, base }: NonNullable<PullRequestEvent['changes']>) {
  return {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body: { from: body.from ?? '' } }),
    ...(base === undefined ? {} : { ref: base.ref }),
  };
}

function push({ core }: Domain, links: Links, event: Event<'push'>): Payload {
  const { ref, before, after, sender, repository, commits } = event;
  const { html } = links.repository(core, repository);
  const listed = commits.slice(-maxCommits).map(({ sha, message, author, committer }) => ({
    id: sha,
    message,
    url: `${html}/commit/${sha}`,
    author: { name: author.name, email: author.email },
    committer: { name: committer.name, email: committer.email },
    timestamp: committer.date,
  }));
  const payload = {
    ref,
    before,
    after,
    compare_url: `${html}/compare/${before}...${after}`,
    commits: listed,
    total_commits: commits.length,
    head_commit: listed.at(-1) ?? null,
    pusher: presentUser(links, sender),
  };
  return { event: 'push', action: null, payload };
}

/** Returns a pull request without a trial merge, because no receiver reads its result. */
function shortPull({ core, labels }: Domain, links: Links, repository: Repository, pull: PullRequest) {
  const { html } = links.repository(core, repository);
  return {
    id: pull.id,
    number: pull.number,
    title: pull.title,
    body: pull.body ?? '',
    state: pull.state,
    merged: pull.merge !== undefined,
    merge_commit_sha: pull.merge?.sha ?? null,
    html_url: `${html}/pulls/${pull.number}`,
    labels: labels.of(repository, pull).map(presentLabel),
    head: { ...pull.head, repo_id: repository.id },
    base: { ...pull.base, repo_id: repository.id },
  };
}
