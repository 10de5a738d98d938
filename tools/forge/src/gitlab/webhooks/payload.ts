import type { Domain } from '../../domain/domain.js';
import type { ForgeEvent } from '../../domain/events.js';
import type { CommitStatus } from '../../domain/model.js';
import { latestStatuses } from '../../domain/statuses.js';
import { noCommit } from '../../git/bare-repository.js';
import type { Links } from '../links.js';
import { stateOf } from '../present/merge-request.js';
import { gitlabStates, presentPipeline } from '../present/status.js';
import { presentUser } from '../present/user.js';
import { hookFlags } from '../present/project.js';
import type { Payload, Renderer } from '../../hooks/hook-protocol.js';

type Event<T extends ForgeEvent['type']> = Extract<ForgeEvent, { type: T }>;

/** Maximum number of commits that GitLab lists for a push. */
const maxCommits = 20;

/** Returns the payload that GitLab sends for an event (GitLab, "Webhook events"). */
export function gitlabRenderer(domain: Domain, links: Links): Renderer {
  return (event) => {
    switch (event.type) {
      case 'push':
        return [push(domain, links, event)];
      case 'pullRequest':
        return [mergeRequest(domain, links, event)];
      case 'status':
        return [pipeline(domain, links, event)];
      case 'review':
      case 'checkRun':
      case 'ping':
        return [];
    }
  };
}

function project({ core }: Domain, links: Links, { repository }: ForgeEvent) {
  const { path, html } = links.project(core, repository);
  return {
    id: repository.id,
    name: repository.name,
    description: repository.description,
    web_url: html,
    git_http_url: `${html}.git`,
    namespace: core.owner(repository).name,
    visibility_level: 0,
    path_with_namespace: path,
    default_branch: repository.defaultBranch,
  };
}

function push(domain: Domain, links: Links, event: Event<'push'>): Payload {
  const { ref, before, after, sender, repository, commits } = event;
  const tag = ref.startsWith('refs/tags/');
  const { html } = links.project(domain.core, repository);
  const name = tag ? 'tag_push' : 'push';
  const payload = {
    object_kind: name,
    event_name: name,
    before,
    after,
    ref,
    checkout_sha: after === noCommit ? null : after,
    user_id: sender.id,
    user_name: sender.name,
    user_username: sender.login,
    project_id: repository.id,
    project: project(domain, links, event),
    commits: commits.slice(-maxCommits).map((commit) => ({
      id: commit.sha,
      message: commit.message,
      title: commit.message.split('\n', 1)[0],
      timestamp: commit.committer.date,
      url: `${html}/-/commit/${commit.sha}`,
      author: { name: commit.author.name, email: commit.author.email },
    })),
    total_commits_count: commits.length,
  };
  return { event: tag ? hookFlags.tag_push_events : hookFlags.push_events, action: null, payload };
}

const actions = { opened: 'open', reopened: 'reopen', closed: 'close' } as const;

function mergeRequest(domain: Domain, links: Links, event: Event<'pullRequest'>): Payload {
  const { pull, repository, sender, moved, label, changes } = event;
  const { html } = links.project(domain.core, repository);
  const known = Object.hasOwn(actions, event.action)
    ? actions[event.action as keyof typeof actions]
    : 'update';
  const action = known === 'close' && pull.merge !== undefined ? 'merge' : known;
  const payload = {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: presentUser(links, sender),
    project: project(domain, links, event),
    object_attributes: {
      id: pull.id,
      iid: pull.number,
      action,
      state: stateOf(pull),
      title: pull.title,
      description: pull.body,
      draft: pull.draft,
      source_branch: pull.head.ref,
      target_branch: pull.base.ref,
      source_project_id: repository.id,
      target_project_id: repository.id,
      author_id: pull.authorId,
      created_at: pull.createdAt,
      updated_at: pull.updatedAt,
      merge_commit_sha: pull.merge?.sha ?? null,
      last_commit: { id: pull.head.sha },
      url: `${html}/-/merge_requests/${pull.number}`,
      ...(moved === undefined ? {} : { oldrev: moved.before }),
    },
    labels: pull.labels.map((title) => ({ title })),
    changes: {
      ...(changes?.title === undefined
        ? {}
        : { title: { previous: changes.title.from, current: pull.title } }),
      ...(changes?.body === undefined
        ? {}
        : { description: { previous: changes.body.from, current: pull.body } }),
      ...(label === undefined ? {} : { labels: { current: pull.labels.map((title) => ({ title })) } }),
    },
  };
  return { event: hookFlags.merge_requests_events, action, payload };
}

/**
 * Returns the payload for a commit status. A status of an external service is a job of a pipeline, and GitLab reports
 * the pipeline.
 */
function pipeline(domain: Domain, links: Links, event: Event<'status'>): Payload {
  const { repository, sender, status } = event;
  const { sha } = status;
  const pull = repository.pulls.find(({ state, head }) => state === 'open' && head.sha === sha);
  const ref = pull?.head.ref ?? branchAt(repository.refs, sha);
  const payload = {
    object_kind: 'pipeline',
    object_attributes: { ...presentPipeline(domain.core, links, repository, sha, ref), tag: false },
    merge_request:
      pull === undefined
        ? null
        : {
            id: pull.id,
            iid: pull.number,
            title: pull.title,
            source_branch: pull.head.ref,
            target_branch: pull.base.ref,
            state: stateOf(pull),
          },
    user: presentUser(links, sender),
    project: project(domain, links, event),
    commit: { id: sha },
    builds: latestStatuses(repository, sha).map(job),
  };
  return { event: hookFlags.pipeline_events, action: null, payload };
}

function job({ id, context, state, createdAt }: CommitStatus) {
  return { id, stage: 'external', name: context, status: gitlabStates[state], created_at: createdAt };
}

function branchAt(refs: Readonly<Record<string, string>>, sha: string): string {
  const [ref = ''] =
    Object.entries(refs).find(([name, tip]) => tip === sha && name.startsWith('refs/heads/')) ?? [];
  return ref.replace('refs/heads/', '');
}
