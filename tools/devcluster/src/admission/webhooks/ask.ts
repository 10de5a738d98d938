import { randomUUID } from 'node:crypto';
import { ApiError, badRequest, internal } from '../../api/api-error.js';
import type { AdmissionRequest } from '../../api/cluster.js';
import { isObject } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';
import { WebhookCallError, type WebhookClient } from './client.js';
import type { HookType } from './hook.js';
import type { Invocation } from './match.js';
import { admissionRequest, admissionReview, verdictOf, type Verdict } from './review.js';

/** A webhook that could not be called, or whose response is invalid. The failure policy decides about the write. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';

  constructor(hook: string, why: string) {
    super(`failed calling webhook ${JSON.stringify(hook)}: ${why}`);
  }
}

/**
 * Calls a webhook for a write, passes its warnings to the request, and returns its response. Throws ApiError if it
 * refuses the write or does not support dry runs, and WebhookFailure if it cannot be called.
 */
export async function ask(
  client: WebhookClient,
  type: HookType,
  { hook, resource }: Invocation,
  request: AdmissionRequest,
): Promise<Verdict> {
  if (request.dryRun && !hook.allowsDryRun) {
    throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
  }
  const uid = randomUUID();
  const verdict = await answerOf(
    client,
    type,
    { hook, resource },
    admissionRequest(request, resource, uid),
    uid,
  );
  for (const warning of verdict.warnings) request.warn(warning);
  if (!verdict.allowed) throw refusal(hook.name, verdict.status);
  return verdict;
}

async function answerOf(
  client: WebhookClient,
  type: HookType,
  { hook }: Invocation,
  request: JsonObject,
  uid: string,
): Promise<Verdict> {
  try {
    const verdict = verdictOf(await client.call(hook, admissionReview(request)), uid, type);
    if ('error' in verdict) {
      throw new WebhookFailure(hook.name, `received invalid webhook response: ${verdict.error}`);
    }
    return verdict;
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error;
    throw new WebhookFailure(hook.name, `failed to call webhook: ${error.message}`);
  }
}

/**
 * Returns the error for a write that a webhook refused: the completed status of the webhook (apiserver
 * plugin/webhook/errors).
 */
function refusal(hook: string, status: JsonObject): ApiError {
  const { message, reason, code, details } = status;
  const denied = `admission webhook ${JSON.stringify(hook)} denied the request`;
  const why = [message, reason].find((text) => typeof text === 'string' && text !== '');
  return new ApiError(
    typeof code === 'number' && code >= 400 ? code : 400,
    typeof reason === 'string' && reason !== '' ? reason : undefined,
    why === undefined ? `${denied} without explanation` : `${denied}: ${String(why)}`,
    isObject(details) ? details : undefined,
  );
}

/** Returns the error for a write whose required webhook could not be called. */
export function failedClosed(failure: WebhookFailure): ApiError {
  return internal(failure.message);
}
