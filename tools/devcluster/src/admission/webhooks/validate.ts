import type { AdmissionRequest, Cluster } from '../../api/cluster.js';
import { ask, failedClosed, WebhookFailure } from './ask.js';
import type { WebhookClient } from './client.js';
import { hooksOf } from './hook.js';
import { invocationOf, type Invocation } from './match.js';

/**
 * Calls the validating webhooks for a write concurrently. Throws the ApiError of the first refusal in the order of the
 * configurations. Source: apiserver plugin/webhook/validating, dispatcher.go.
 */
export async function callValidatingWebhooks(
  cluster: Cluster,
  client: WebhookClient,
  request: AdmissionRequest,
): Promise<void> {
  const hooks = hooksOf(cluster.store, 'validating');
  const invocations = hooks.flatMap((hook) => invocationOf(cluster, hook, request) ?? []);
  const results = await Promise.allSettled(
    invocations.map((invocation) => validate(client, invocation, request)),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function validate(
  client: WebhookClient,
  invocation: Invocation,
  request: AdmissionRequest,
): Promise<void> {
  try {
    await ask(client, 'validating', invocation, request);
  } catch (error) {
    if (!(error instanceof WebhookFailure)) throw error;
    if (!invocation.hook.ignoresFailure) throw failedClosed(error);
  }
}
