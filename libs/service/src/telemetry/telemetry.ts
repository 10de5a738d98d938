import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../flags/parse.js';

interface Telemetry {
  /** Sends the remaining spans, as far as possible within two seconds. */
  stop(): Promise<void>;
}

/* A collector that is down must not use up the grace period. */
const stopTimeoutMs = 2_000;
const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/** Returns whether the standard variables configure an endpoint for spans. */
export function isTelemetryConfigured(env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  return endpoints.some((name) => (env[name] ?? '').trim() !== '');
}

/**
 * Starts the OpenTelemetry SDK if an OTLP endpoint is set; otherwise the SDK is not even loaded. The standard `OTEL_*`
 * variables of this process configure it. Metrics and logs are exported in other ways (Prometheus, standard output),
 * unless the variables request them.
 */
export async function startTelemetry(
  serviceName: string,
  serviceVersion: string,
  env: Environment,
): Promise<Telemetry> {
  if (!isTelemetryConfigured(env)) return { stop: () => Promise.resolve() };
  const { NodeSDK, resources } = await import('./sdk.js');
  const sdk = new NodeSDK({
    // The other detectors would send the command line and details of the host.
    resourceDetectors: [resources.envDetector],
    resource: resources.resourceFromAttributes({ 'service.version': serviceVersion }),
    ...(env['OTEL_SERVICE_NAME'] ? {} : { serviceName }),
    ...(env['OTEL_METRICS_EXPORTER'] ? {} : { metricReaders: [] }),
    ...(env['OTEL_LOGS_EXPORTER'] ? {} : { logRecordProcessors: [] }),
  });
  sdk.start();
  return { stop: () => Promise.race([sdk.shutdown(), sleep(stopTimeoutMs, undefined, { ref: false })]) };
}
