import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { prometheusClientMetrics } from '../client/prometheus.js';
import { prometheusCacheMetrics } from './prometheus.js';

test('names the metrics of the client and the caches as client-go does', async () => {
  const registry = new Registry();
  prometheusClientMetrics(registry).requested('GET', 'h:1', '200', 0.2);
  const caches = prometheusCacheMetrics(registry);
  caches.listed('Pod', 2, 30);
  caches.watched('Pod', 'closed', 300, 7);
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'rest_client_requests_total{code="200",method="GET",host="h:1"} 1',
      'rest_client_request_duration_seconds_bucket{le="0.25",verb="GET",host="h:1"} 1',
      'reflector_lists_total{kind="Pod"} 1',
      'reflector_list_duration_seconds_sum{kind="Pod"} 2',
      'reflector_items_per_list_sum{kind="Pod"} 30',
      'reflector_watches_total{kind="Pod",end="closed"} 1',
      'reflector_watch_duration_seconds_sum{kind="Pod"} 300',
      'reflector_items_per_watch_sum{kind="Pod"} 7',
    ]),
  );
});
