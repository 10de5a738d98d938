/** Variables of a job with which a test controls the simulated runner. */
export interface JobVariables {
  /** Milliseconds that the job runs; default: 200. */
  'interlock.test.durationMs'?: string;
  /** How the job ends; default: `succeeded`. */
  'interlock.test.result'?: string;
  /**
   * The fault of the simulated runner; the environment variable `INTERLOCK_RUNNER_FAULT` takes precedence.
   *
   * - `crashBeforeJob`: exits with 134, as .NET does on an unhandled exception, before it reads the job.
   * - `crashAfterJob`: exits with 134 after it has read the job.
   * - `hangBeforeJob`: never reads the job and ignores SIGTERM.
   * - `hang`: runs forever and ignores both a cancellation and SIGTERM.
   * - `ignoreCancel`: continues its job after a cancellation.
   * - `noCompletion`: exits with the result of the job without reporting it.
   */
  'interlock.test.fault'?: string;
}

/** Results by the exit code of a runner. */
export const exitCodes: Readonly<Record<string, number>> = {
  succeeded: 100,
  succeededWithIssues: 101,
  failed: 102,
  canceled: 103,
  skipped: 104,
  abandoned: 105,
};

/** The fields of a job message that the simulated runner reads. */
export interface Job {
  planId: string;
  jobId: string;
  token: string;
  /** URL of the run service, with a slash at its end. */
  runUrl: string;
  /** URL of the results service, with a slash at its end; undefined when the job does not name one. */
  resultsUrl: string | undefined;
  durationMs: number;
  result: string;
  fault: string | undefined;
}

const defaultDurationMs = 200;

/**
 * Returns the job of a message.
 *
 * @throws Error that names the first field that is missing or malformed, without any value
 */
export function parseJob(text: string): Job {
  const message = parsed(text);
  /* The runner takes a message of any other type for a job of an older service, and makes other calls. */
  if (textOf(message, 'messageType').toLowerCase() !== 'runnerjobrequest') throw missing('messageType');
  const endpoints = at(message, 'resources', 'endpoints');
  const named = (one: unknown): boolean => at(one, 'name') === 'SystemVssConnection';
  const connection: unknown = Array.isArray(endpoints) ? endpoints.find(named) : undefined;
  if (connection === undefined) throw missing('resources.endpoints[SystemVssConnection]');
  const variable = (name: string): string | undefined => {
    const value = at(message, 'variables', name, 'value');
    return typeof value === 'string' ? value : undefined;
  };
  if (typeof at(message, 'variables') !== 'object') throw missing('variables');
  const resultsUrl = at(connection, 'data', 'ResultsServiceUrl');
  const result = variable('interlock.test.result') ?? 'succeeded';
  if (exitCodes[result] === undefined) throw missing('variables["interlock.test.result"]');
  const durationHint = variable('interlock.test.durationMs') ?? variable('actions-service.durationMs');
  return {
    planId: textOf(message, 'plan', 'planId'),
    jobId: textOf(message, 'jobId'),
    token: textOf(connection, 'authorization', 'parameters', 'AccessToken'),
    runUrl: withSlash(textOf(connection, 'url')),
    resultsUrl: typeof resultsUrl === 'string' && resultsUrl !== '' ? withSlash(resultsUrl) : undefined,
    durationMs: Number(durationHint ?? defaultDurationMs),
    result,
    fault: variable('interlock.test.fault'),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('the job message is not JSON');
  }
}

function at(value: unknown, ...path: string[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

function textOf(value: unknown, ...path: string[]): string {
  const found = at(value, ...path);
  if (typeof found === 'string' && found !== '') return found;
  throw missing(path.join('.'));
}

function missing(field: string): Error {
  return new Error(`the job message has no valid ${field}`);
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
