import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../flags/parse.js';

export interface Telemetry {
  /** Sends what is left, as far as it can be sent within two seconds. */
  stop(): Promise<void>;
}

/* A collector that is down must not use up the grace period. */
const stopTimeoutMs = 2_000;
const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/** Returns whether spans are to be sent anywhere, by the standard variables. */
export function isTelemetryConfigured(env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  return endpoints.some((name) => (env[name] ?? '').trim() !== '');
}

/**
 * Starts the OpenTelemetry SDK, configured by the standard `OTEL_*` variables of this process, when an OTLP endpoint is set; without one
 * the SDK is not even loaded. Metrics and logs go their own ways (Prometheus, standard output) unless the variables ask for them.
 */
export async function startTelemetry(
  serviceName: string,
  serviceVersion: string,
  env: Environment,
): Promise<Telemetry> {
  if (!isTelemetryConfigured(env)) return { stop: () => Promise.resolve() };
  const { NodeSDK, resources } = await import('./sdk.js');
  const sdk = new NodeSDK({
    // The other detectors would send the command line and the host's particulars.
    resourceDetectors: [resources.envDetector],
    resource: resources.resourceFromAttributes({ 'service.version': serviceVersion }),
    ...(env['OTEL_SERVICE_NAME'] ? {} : { serviceName }),
    ...(env['OTEL_METRICS_EXPORTER'] ? {} : { metricReaders: [] }),
    ...(env['OTEL_LOGS_EXPORTER'] ? {} : { logRecordProcessors: [] }),
  });
  sdk.start();
  return { stop: () => Promise.race([sdk.shutdown(), sleep(stopTimeoutMs, undefined, { ref: false })]) };
}
