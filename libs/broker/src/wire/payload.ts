import { TypedError } from '@interlock/api';
import type { JobIdentity, RunReference } from '../source/job-source.js';
import { contextFields } from './context.js';
import { Fields, isJsonObject } from './fields.js';
import { parseJson, payloadLimits } from './json.js';

/** The fields of the payload of a job that the gateway reads. They include the token, a secret. */
export interface JobPayload {
  identity: JobIdentity;
  /**
   * The service that keeps the lock. If the URL is absent, it is the service from which the job was acquired; if the token is absent, it
   * accepts the token of the runner.
   */
  service: { url: string | undefined; token: string | undefined };
  run: RunReference | undefined;
  /** Identifies the job within its run, independent of the delivery. */
  orchestrationId: string | undefined;
}

/**
 * Reads the payload of a job, and does not change it.
 *
 * @param planIdHeader value of `x-plan-id`, which takes precedence over the plan id of the payload
 * @param requestId id of the delivery; it is used as the id of the job if the payload does not contain one
 * @throws TypedError `Invalid` for a payload that is not a JSON object, is too large, or has no plan id
 */
export function readPayload(
  payload: Buffer,
  planIdHeader: string | undefined,
  requestId: string,
): JobPayload {
  const parsed = parseJson(payload, 'the answer', payloadLimits);
  const message = new Fields(parsed);
  const malformed = (what: string): TypedError =>
    new TypedError('Invalid', `the payload of job ${requestId} ${what}`, { reason: 'MalformedAnswer' });
  /* The header names a plan even if what stands between has replaced the job. */
  if (!isJsonObject(parsed) || Object.keys(parsed).length === 0) throw malformed('has no fields');
  const planId = nonEmpty(planIdHeader) ?? message.fields('plan').text('planId');
  if (planId === undefined) throw malformed('has no plan id');
  return {
    identity: { planId, jobId: message.text('jobId') ?? requestId },
    service: serviceOf(message),
    run: runOf(message),
    orchestrationId: variable(message, 'system.orchestrationId'),
  };
}

function serviceOf(message: Fields): JobPayload['service'] {
  for (const item of message.fields('resources').list('endpoints')) {
    const endpoint = new Fields(item);
    if (endpoint.text('name')?.toLowerCase() !== 'systemvssconnection') continue;
    const token = endpoint.fields('authorization').fields('parameters').text('AccessToken');
    return { url: endpoint.text('url'), token };
  }
  return { url: undefined, token: undefined };
}

function runOf(message: Fields): RunReference | undefined {
  const data = message.fields('contextData');
  const github = contextFields(data.value('github'));
  const repository = github.text('repository') ?? variable(message, 'system.github.repository');
  const runId = github.id('run_id') ?? decimal(variable(message, 'system.github.run_id'));
  if (repository === undefined || runId === undefined) return undefined;
  return {
    repository,
    runId,
    runAttempt: github.ordinal('run_attempt'),
    restJobId: contextFields(data.value('job')).id('check_run_id'),
    jobName: message.text('jobDisplayName') ?? variable(message, 'system.github.job'),
    workflow: github.text('workflow'),
  };
}

function variable(message: Fields, name: string): string | undefined {
  return message.fields('variables').fields(name).text('value');
}

function decimal(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,20}$/.test(text) ? text : undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}
