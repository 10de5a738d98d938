import type { Core } from '../../domain/core.js';
import type { Hook, Repository } from '../../domain/model.js';
import type { Delivery } from '../../hooks/delivery.js';
import type { Links } from '../links.js';
import type { Subset } from '../../rest/subset.js';
import type { Schemas } from '../schema.js';

export function presentHook(core: Core, links: Links, repository: Repository, hook: Hook) {
  const { api } = links.repository(core.owner(repository).login, repository.name);
  const url = `${api}/hooks/${hook.id}`;
  return {
    type: 'Repository',
    id: hook.id,
    name: 'web',
    active: hook.active,
    events: hook.events,
    config: {
      url: hook.url,
      content_type: hook.contentType,
      insecure_ssl: '0',
      ...(hook.secret === '' ? {} : { secret: '********' }),
    },
    created_at: hook.createdAt,
    updated_at: hook.updatedAt,
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: { code: null, status: 'unused', message: null },
  } satisfies Schemas['hook'];
}

export function presentDelivery(delivery: Delivery) {
  const last = delivery.attempts.at(-1);
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: last?.at ?? '',
    redelivery: delivery.redelivery,
    duration: (last?.durationMs ?? 0) / 1000,
    status: delivery.state === 'delivered' ? 'OK' : (last?.failure ?? delivery.state),
    status_code: last?.statusCode ?? 0,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installation?.id ?? null,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  } satisfies Subset<Schemas['hook-delivery-item']>;
}

export function presentFullDelivery(hook: Hook, delivery: Delivery) {
  const last = delivery.attempts.at(-1);
  return {
    ...presentDelivery(delivery),
    url: hook.url,
    request: { headers: last?.requestHeaders ?? {}, payload: delivery.payload },
    response: { headers: {}, payload: last?.responseBody ?? null },
  } satisfies Subset<Schemas['hook-delivery']>;
}
