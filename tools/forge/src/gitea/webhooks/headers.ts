import { createHmac } from 'node:crypto';
import type { Hook } from '../../domain/model.js';
import type { Delivery } from '../../hooks/delivery.js';

/**
 * Returns the headers of a delivery (Gitea, "Webhooks"). Forgejo sends these headers, and the same headers under its
 * own name.
 */
export function giteaHeaders(hook: Hook, delivery: Delivery, body: string): Record<string, string> {
  const signature = createHmac('sha256', hook.secret).update(body).digest('hex');
  const prefixes = hook.protocol === 'forgejo' ? ['x-forgejo', 'x-gitea'] : ['x-gitea'];
  const headers = prefixes.flatMap((prefix) => [
    [`${prefix}-delivery`, delivery.guid] as const,
    [`${prefix}-event`, delivery.event] as const,
    ...(hook.secret === '' ? [] : [[`${prefix}-signature`, signature] as const]),
  ]);
  return { 'user-agent': 'Go-http-client/1.1', ...Object.fromEntries(headers) };
}
