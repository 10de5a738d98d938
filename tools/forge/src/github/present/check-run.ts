import type { Core } from '../../domain/core.js';
import type { App, CheckRun, CheckSuite, CommitStatus, Repository } from '../../domain/model.js';
import { found } from '../../domain/refusal.js';
import { nodeId, type Links } from '../links.js';
import type { Subset } from '../../rest/subset.js';
import type { Schemas } from '../schema.js';
import { presentAccount } from './account.js';

export function presentApp(core: Core, links: Links, app: App) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId('App', app.id),
    client_id: app.clientId,
    owner: presentAccount(links, core.account(app.ownerId)),
    name: app.name,
    description: null,
    external_url: links.html,
    html_url: `${links.html}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions as Record<string, string>,
    events: app.events,
  } satisfies Subset<NonNullable<Schemas['integration']>>;
}

export function presentCheckRun(core: Core, links: Links, repository: Repository, run: CheckRun) {
  const { html, api } = links.repository(core.owner(repository).login, repository.name);
  const app = found(core.state.apps.find(({ id }) => id === run.appId));
  const url = `${api}/check-runs/${run.id}`;
  const shownApp = presentApp(core, links, app);
  return {
    id: run.id,
    head_sha: run.sha,
    node_id: nodeId('CheckRun', run.id),
    external_id: run.externalId,
    url,
    html_url: `${html}/runs/${run.id}`,
    // GitHub, "Create a check run": the default is the homepage of the App.
    details_url: run.detailsUrl ?? shownApp.external_url,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: { ...run.output, annotations_count: 0, annotations_url: `${url}/annotations` },
    name: run.name,
    check_suite: { id: run.suiteId },
    app: shownApp,
    pull_requests: repository.pulls
      .filter((pull) => pull.state === 'open' && pull.head.sha === run.sha)
      .map((pull) => presentPullMinimal(api, repository, pull)),
  } satisfies Subset<Schemas['check-run']>;
}

export function presentCheckSuite(core: Core, links: Links, repository: Repository, suite: CheckSuite) {
  const { api } = links.repository(core.owner(repository).login, repository.name);
  const app = found(core.state.apps.find(({ id }) => id === suite.appId));
  const runs = repository.checkRuns.filter(({ suiteId }) => suiteId === suite.id);
  const done = runs.length > 0 && runs.every(({ status }) => status === 'completed');
  const failed = runs.find(({ conclusion }) => !['success', 'neutral', 'skipped'].includes(conclusion ?? ''));
  return {
    id: suite.id,
    node_id: nodeId('CheckSuite', suite.id),
    head_sha: suite.sha,
    status: done ? ('completed' as const) : ('queued' as const),
    conclusion: done ? (failed === undefined ? ('success' as const) : ('failure' as const)) : null,
    url: `${api}/check-suites/${suite.id}`,
    check_runs_url: `${api}/check-suites/${suite.id}/check-runs`,
    latest_check_runs_count: runs.length,
    app: presentApp(core, links, app),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
  } satisfies Subset<Schemas['check-suite']>;
}

export function presentStatus(core: Core, links: Links, repository: Repository, status: CommitStatus) {
  const { api } = links.repository(core.owner(repository).login, repository.name);
  const creator = core.account(status.creatorId);
  return {
    url: `${api}/statuses/${status.sha}`,
    avatar_url: `${links.html}/avatars/${creator.id}`,
    id: status.id,
    node_id: nodeId('StatusContext', status.id),
    state: status.state === 'running' ? ('pending' as const) : status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
    creator: presentAccount(links, creator),
  } satisfies Schemas['status'];
}

function presentPullMinimal(api: string, repository: Repository, pull: Repository['pulls'][number]) {
  const repo = { id: repository.id, url: api, name: repository.name };
  const { id, number, head, base } = pull;
  return { id, number, url: `${api}/pulls/${number}`, head: { ...head, repo }, base: { ...base, repo } };
}
