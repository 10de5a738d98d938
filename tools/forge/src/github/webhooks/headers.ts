import { createHmac } from 'node:crypto';
import type { Hook } from '../../domain/model.js';
import type { Delivery } from '../../hooks/delivery.js';

/** Returns the headers of a delivery (GitHub, "Webhook events and payloads"). */
export function githubHeaders(hook: Hook, delivery: Delivery, body: string): Record<string, string> {
  const sign = (algorithm: string): string =>
    `${algorithm}=${createHmac(algorithm, hook.secret).update(body).digest('hex')}`;
  return {
    'user-agent': 'GitHub-Hookshot/interlock',
    'x-github-delivery': delivery.guid,
    'x-github-event': delivery.event,
    'x-github-hook-id': String(hook.id),
    'x-github-hook-installation-target-id': String(delivery.installation?.appId ?? delivery.repositoryId),
    'x-github-hook-installation-target-type': delivery.installation === null ? 'repository' : 'integration',
    ...(hook.secret === '' ? {} : { 'x-hub-signature': sign('sha1'), 'x-hub-signature-256': sign('sha256') }),
  };
}
