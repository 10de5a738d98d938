import { Counter, Histogram, type Registry } from 'prom-client';
import type { ClientMetrics } from './metrics.js';

/** client-go's buckets of the request duration. */
const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** Returns metrics that `registry` exposes under client-go's names. It may be called once per registry. */
export function prometheusClientMetrics(registry: Registry): ClientMetrics {
  const registers = [registry];
  const total = new Counter({
    name: 'rest_client_requests_total',
    help: 'Requests to the Kubernetes API, by status code, method and host.',
    labelNames: ['code', 'method', 'host'],
    registers,
  });
  const duration = new Histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Duration of requests to the Kubernetes API, by verb and host.',
    labelNames: ['verb', 'host'],
    buckets,
    registers,
  });
  return {
    requested(method, host, code, seconds) {
      total.inc({ code, method, host });
      duration.observe({ verb: method, host }, seconds);
    },
  };
}
