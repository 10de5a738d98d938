import type { DomainContext } from '../domain/context.js';
import type { Job, Run } from '../domain/model.js';

/** Returns a workflow run as the REST API returns it. */
export function presentRun(context: DomainContext, run: Run): Record<string, unknown> {
  const { rest, web } = context.urls();
  const url = `${rest}/repos/${run.repository}/actions/runs/${String(run.id)}`;
  return {
    id: run.id,
    name: 'ci',
    run_number: run.number,
    run_attempt: run.attempt,
    event: 'push',
    status: run.status,
    conclusion: run.conclusion ?? null,
    head_branch: 'main',
    path: '.github/workflows/ci.yml',
    created_at: new Date(run.createdAt).toISOString(),
    updated_at: new Date(changedAt(run)).toISOString(),
    url,
    html_url: `${web}/${run.repository}/actions/runs/${String(run.id)}`,
    jobs_url: `${url}/jobs`,
    repository: { full_name: run.repository },
  };
}

/** Returns a job as the REST API returns it. */
export function presentJob(context: DomainContext, job: Job): Record<string, unknown> {
  const { rest, web } = context.urls();
  const { run, runner } = job;
  const text = (time: number | undefined): string | null =>
    time === undefined ? null : new Date(time).toISOString();
  return {
    id: job.id,
    run_id: run.id,
    run_attempt: job.attempt,
    name: job.name,
    workflow_name: 'ci',
    status: job.status,
    conclusion: job.conclusion ?? null,
    labels: job.labels,
    created_at: text(job.queuedAt),
    started_at: text(job.startedAt),
    completed_at: text(job.completedAt),
    runner_id: runner?.id ?? null,
    runner_name: runner?.name ?? null,
    runner_group_id: runner?.groupId ?? null,
    url: `${rest}/repos/${run.repository}/actions/jobs/${String(job.id)}`,
    html_url: `${web}/${run.repository}/actions/runs/${String(run.id)}/job/${String(job.id)}`,
    check_run_url: `${rest}/repos/${run.repository}/check-runs/${String(job.id)}`,
    steps: [],
  };
}

/** Returns when a job of a run was last queued, started or completed, in milliseconds since the epoch. */
function changedAt({ createdAt, attempts }: Run): number {
  const jobs = [...attempts.values()].flat();
  const times = jobs.flatMap(({ queuedAt, startedAt, completedAt }) => [queuedAt, startedAt, completedAt]);
  return times.reduce<number>((latest, time) => Math.max(latest, time ?? 0), createdAt);
}
