import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What is counted of admission, by the path of the webhook. */
export interface AdmissionMetrics {
  /** A request has begun. @returns what to call with the HTTP status of its answer. */
  started(path: string): (code: number) => void;
}

/** The metrics that controller-runtime keeps of its webhooks, under the same names. */
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
