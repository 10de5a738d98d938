import { createHmac, randomUUID } from 'node:crypto';
import type { Hook } from '../../domain/model.js';
import type { Delivery } from '../../hooks/delivery.js';

/**
 * Returns the headers of a delivery (GitLab, "Webhooks: delivery headers"), with the signature of Standard Webhooks.
 *
 * @param origin the origin of the forge.
 * @param now milliseconds since the epoch.
 */
export function gitlabHeaders(
  origin: string,
  hook: Hook,
  delivery: Delivery,
  body: string,
  now: number,
): Record<string, string> {
  return {
    'user-agent': 'GitLab/18.6.0',
    'idempotency-key': delivery.guid,
    'x-gitlab-event': delivery.event,
    'x-gitlab-event-uuid': randomUUID(),
    'x-gitlab-webhook-uuid': delivery.guid,
    'x-gitlab-instance': origin,
    ...(hook.secret === '' ? {} : { 'x-gitlab-token': hook.secret }),
    ...(hook.signingToken === undefined ? {} : signature(hook.signingToken, delivery.guid, body, now)),
  };
}

function signature(token: string, id: string, body: string, now: number): Record<string, string> {
  const seconds = String(Math.floor(now / 1000));
  const key = Buffer.from(token.replace(/^whsec_/, ''), 'base64');
  const signed = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signed}` };
}
