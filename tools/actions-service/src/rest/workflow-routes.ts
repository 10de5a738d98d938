import * as z from 'zod';
import type { Job, Run } from '../domain/model.js';
import { jsonReply, readJson } from '../http/json.js';
import type { Call, Reply } from '../http/message.js';
import type { EndpointRoute } from '../http/route-table.js';
import { Refused } from '../record/refused.js';
import { pageOf } from './paging.js';
import { presentJob, presentRun } from './present-workflow.js';
import type { RestApi } from './rest-api.js';

const rerunShape = z.object({ enable_debug_logging: z.boolean().optional() });
const decimal = /^\d{1,20}$/;

/** Returns the endpoints of workflow runs and their jobs. */
export function workflowRoutes(api: RestApi): EndpointRoute[] {
  const endpoints = new WorkflowEndpoints(api);
  const at = (method: string, path: string, run: (call: Call) => Reply): EndpointRoute =>
    api.route(method, `/repos/{owner}/{repo}/actions/${path}`, (call, installation) => {
      api.requireAccount(installation, call.params['owner'] ?? '');
      return run(call);
    });
  return [
    at('GET', 'runs', (call) => endpoints.list(call)),
    at('GET', 'runs/{run}', (call) => endpoints.get(call)),
    at('GET', 'runs/{run}/jobs', (call) => endpoints.jobs(call)),
    at('GET', 'runs/{run}/attempts/{attempt}/jobs', (call) => endpoints.attemptJobs(call)),
    at('GET', 'jobs/{job}', (call) => endpoints.getJob(call)),
    at('POST', 'runs/{run}/rerun', (call) => endpoints.rerun(call, () => true)),
    at('POST', 'runs/{run}/rerun-failed-jobs', (call) => endpoints.rerun(call, isFailed)),
    at('POST', 'jobs/{job}/rerun', (call) => endpoints.rerunJob(call)),
    at('POST', 'runs/{run}/cancel', (call) => endpoints.cancel(call)),
    at('POST', 'runs/{run}/force-cancel', (call) => endpoints.forceCancel(call)),
  ];
}

class WorkflowEndpoints {
  readonly #api: RestApi;

  constructor(api: RestApi) {
    this.#api = api;
  }

  list(call: Call): Reply {
    const repository = repositoryOf(call);
    const status = call.query.get('status');
    const found = [...this.#api.domain.context.state.runs.values()]
      .filter((run) => run.repository.toLowerCase() === repository)
      .filter((run) => status === null || run.status === status || run.conclusion === status)
      .reverse();
    const { page, headers } = pageOf(call, this.#url(call, 'runs'), found);
    return jsonReply(
      200,
      { total_count: found.length, workflow_runs: page.map((run) => this.#present(run)) },
      headers,
    );
  }

  get(call: Call): Reply {
    return jsonReply(200, this.#present(this.#run(call)));
  }

  jobs(call: Call): Reply {
    const run = this.#run(call);
    const jobs =
      call.query.get('filter') === 'all'
        ? [...run.attempts.values()].flat()
        : (run.attempts.get(run.attempt) ?? []);
    return this.#jobList(call, run, jobs);
  }

  attemptJobs(call: Call): Reply {
    const run = this.#run(call);
    const jobs = run.attempts.get(Number(call.params['attempt']));
    if (jobs === undefined) throw new Refused(404, 'Not Found');
    return this.#jobList(call, run, jobs);
  }

  getJob(call: Call): Reply {
    return jsonReply(200, presentJob(this.#api.domain.context, this.#job(call)));
  }

  rerun(call: Call, select: (job: Job) => boolean): Reply {
    readJson(call, rerunShape);
    this.#api.domain.runs.rerun(this.#run(call), select);
    return jsonReply(201, {});
  }

  rerunJob(call: Call): Reply {
    readJson(call, rerunShape);
    const job = this.#job(call);
    if (job.attempt !== job.run.attempt) throw new Refused(403, 'This workflow run cannot be retried');
    this.#api.domain.runs.rerun(job.run, (other) => other === job);
    return jsonReply(201, {});
  }

  cancel(call: Call): Reply {
    const run = this.#run(call);
    /* GitHub documents 409 for a completed run; 202 was measured. */
    if (run.status === 'completed' && this.#api.domain.context.settings.dialect === 'seed') {
      throw new Refused(409, 'Cannot cancel a workflow run that is completed.');
    }
    this.#api.domain.runs.cancel(run);
    return jsonReply(202, {});
  }

  forceCancel(call: Call): Reply {
    this.#api.domain.runs.forceCancel(this.#run(call));
    return jsonReply(202, {});
  }

  #jobList(call: Call, run: Run, jobs: readonly Job[]): Reply {
    const { page, headers } = pageOf(call, this.#url(call, `runs/${String(run.id)}/jobs`), jobs);
    const { context } = this.#api.domain;
    return jsonReply(
      200,
      { total_count: jobs.length, jobs: page.map((job) => presentJob(context, job)) },
      headers,
    );
  }

  #present(run: Run): Record<string, unknown> {
    return presentRun(this.#api.domain.context, run);
  }

  #url(call: Call, path: string): string {
    return `${this.#api.domain.context.urls().rest}/repos/${repositoryOf(call)}/actions/${path}`;
  }

  #run(call: Call): Run {
    const run = this.#api.domain.context.state.runs.get(idOf(call.params['run']));
    if (run?.repository.toLowerCase() !== repositoryOf(call)) throw new Refused(404, 'Not Found');
    return run;
  }

  #job(call: Call): Job {
    const job = this.#api.domain.context.state.jobs.get(idOf(call.params['job']));
    if (job?.run.repository.toLowerCase() !== repositoryOf(call)) throw new Refused(404, 'Not Found');
    return job;
  }
}

/** Returns an id. Refuses an id that a client has rounded to 53 bits or sends in scientific notation. */
function idOf(text = ''): string {
  if (!decimal.test(text)) throw new Refused(404, 'Not Found', { violation: 'malformed-request' });
  return text;
}

function repositoryOf({ params }: Call): string {
  return `${params['owner'] ?? ''}/${params['repo'] ?? ''}`.toLowerCase();
}

function isFailed({ conclusion }: Job): boolean {
  return conclusion === 'failure' || conclusion === 'cancelled';
}
