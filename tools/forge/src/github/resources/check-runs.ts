import * as z from 'zod';
import { latestRuns, type CheckRunChange } from '../../domain/check-runs.js';
import { conclusions, type App, type CheckRun } from '../../domain/model.js';
import { found } from '../../domain/refusal.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import type { Answer } from '../../rest/answer.js';
import { GithubError, custom, validation } from '../errors.js';
import { presentCheckRun, presentCheckSuite } from '../present/check-run.js';
import { commitOf } from '../revision.js';

const content = z.object({
  status: z.enum(['queued', 'in_progress', 'completed', 'waiting', 'requested', 'pending']).optional(),
  conclusion: z.enum(conclusions).optional(),
  started_at: z.iso.datetime({ offset: true }).optional(),
  completed_at: z.iso.datetime({ offset: true }).optional(),
  details_url: z.string().optional(),
  external_id: z.string().optional(),
  output: z
    .object({
      title: z.string(),
      summary: z.string().max(65_535),
      text: z.string().max(65_535).nullable().default(null),
    })
    .optional(),
});
const createRequest = content.extend({ name: z.string().min(1), head_sha: z.string() });
const updateRequest = content.extend({ name: z.string().min(1).optional() });

const repository = '/repos/{owner}/{repo}';
const runs = `${repository}/check-runs`;

/** REST API, "Check runs" and "Check suites". */
export const checkRunRoutes: GithubRoute[] = [
  repositoryRoute(`POST ${runs}`, 'checks:write', async (call) => {
    const app = appOf(call);
    const wanted = call.read(createRequest);
    const run = await call.domain.checkRuns.create(
      call.repository,
      { sender: call.actor.account, app, sha: wanted.head_sha, name: wanted.name },
      changeOf(wanted),
    );
    return { status: 201, body: present(call)(run) };
  }),
  repositoryRoute(`GET ${runs}/{check_run_id}`, 'checks:read', (call) => ({
    status: 200,
    body: present(call)(runOf(call)),
  })),
  repositoryRoute(`PATCH ${runs}/{check_run_id}`, 'checks:write', (call) => {
    const app = appOf(call);
    const run = runOf(call);
    if (run.appId !== app.id) {
      throw new GithubError(
        403,
        `Invalid app_id \`${app.id}\` - check run can only be modified by the GitHub App that created it.`,
      );
    }
    call.domain.checkRuns.update(
      call.repository,
      call.actor.account,
      run,
      changeOf(call.read(updateRequest)),
    );
    return { status: 200, body: present(call)(run) };
  }),
  repositoryRoute(`GET ${repository}/commits/{ref+}/check-runs`, 'checks:read', async (call) =>
    list(call, call.repository.checkRuns, await commitOf(call, call.parameter('ref'))),
  ),
  repositoryRoute(`GET ${repository}/check-suites/{check_suite_id}/check-runs`, 'checks:read', (call) => {
    const suite = suiteOf(call);
    const own = call.repository.checkRuns.filter(({ suiteId }) => suiteId === suite.id);
    return list(call, own, suite.sha);
  }),
  repositoryRoute(`GET ${repository}/check-suites/{check_suite_id}`, 'checks:read', (call) => ({
    status: 200,
    body: presentCheckSuite(call.domain.core, call.links, call.repository, suiteOf(call)),
  })),
  repositoryRoute(`GET ${repository}/commits/{ref+}/check-suites`, 'checks:read', async (call) => {
    const sha = await commitOf(call, call.parameter('ref'));
    const suites = call.repository.checkSuites.filter((suite) => suite.sha === sha);
    const { items, headers } = call.page(suites);
    const presented = items.map((suite) =>
      presentCheckSuite(call.domain.core, call.links, call.repository, suite),
    );
    return { status: 200, headers, body: { total_count: suites.length, check_suites: presented } };
  }),
];

/** @throws GithubError 403: check runs are written by Apps only. */
function appOf({ actor }: RepositoryCall): App {
  if (actor.app === undefined) throw new GithubError(403, 'You must authenticate via a GitHub App.');
  return actor.app;
}

function runOf(call: RepositoryCall): CheckRun {
  return call.domain.checkRuns.get(call.repository, call.number('check_run_id'));
}

function suiteOf(call: RepositoryCall) {
  const id = call.number('check_suite_id');
  return found(call.repository.checkSuites.find((suite) => suite.id === id));
}

function present({ domain, links, repository: inside }: RepositoryCall) {
  return (run: CheckRun) => presentCheckRun(domain.core, links, inside, run);
}

/** Returns the requested runs, newest first; by default (`filter=latest`), only the newest of each App and name. */
function list(call: RepositoryCall, all: readonly CheckRun[], sha: string): Answer {
  const { query } = call;
  const newest = new Set(latestRuns(call.repository, sha));
  const appId = query.get('app_id');
  const selected = all.filter(
    (run) =>
      run.sha === sha &&
      (query.get('filter') === 'all' || newest.has(run)) &&
      (query.get('check_name') ?? run.name) === run.name &&
      (query.get('status') ?? run.status) === run.status &&
      (appId === null || Number(appId) === run.appId),
  );
  const { items, headers } = call.page(selected.reverse());
  const body = { total_count: selected.length, check_runs: items.map(present(call)) };
  return { status: 200, headers, body };
}

/** @throws GithubError 422 when a completed run has no conclusion, and for an invalid link. */
function changeOf(wanted: z.output<typeof updateRequest>): CheckRunChange {
  const { output, status, conclusion } = wanted;
  if (status === 'completed' && conclusion === undefined) {
    throw validation({ resource: 'CheckRun', code: 'missing_field', field: 'conclusion' });
  }
  if (wanted.details_url !== undefined && !/^https?:\/\//i.test(wanted.details_url)) {
    throw custom('CheckRun', 'details_url must use the http or https scheme', 'details_url');
  }
  return {
    name: wanted.name,
    status,
    conclusion,
    startedAt: wanted.started_at,
    completedAt: wanted.completed_at,
    detailsUrl: wanted.details_url,
    externalId: wanted.external_id,
    output,
  };
}
