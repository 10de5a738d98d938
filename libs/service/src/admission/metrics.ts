import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Metrics of admission, by the path of the webhook. */
export interface AdmissionMetrics {
  /** Records the start of a request. Returns a function to call with the HTTP status of its answer. */
  started(path: string): (code: number) => void;
}

/** Returns the metrics that controller-runtime has for its webhooks, under the same names. */
export function admissionMetrics(registry: Registry): AdmissionMetrics {
  const registers = [registry];
  const total = new Counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Total number of admission requests by HTTP status code.',
    labelNames: ['webhook', 'code'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Current number of admission requests being served.',
    labelNames: ['webhook'],
    registers,
  });
  const latency = new Histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Histogram of the latency of processing admission requests.',
    labelNames: ['webhook'],
    registers,
  });
  return {
    started(webhook) {
      inFlight.inc({ webhook });
      const observe = latency.startTimer({ webhook });
      return (code) => {
        inFlight.dec({ webhook });
        observe();
        total.inc({ webhook, code: String(code) });
      };
    },
  };
}
