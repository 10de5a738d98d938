import type { ActionsGatewaySpec } from '@interlock/api';
import type * as core from 'kubernetes-types/core/v1.js';

type Tracing = NonNullable<ActionsGatewaySpec['tracing']>;

/** Returns the OpenTelemetry variables for a tenant; none without an endpoint, so that no traces are sent. */
export function tracingVariables(tracing: Tracing | undefined): core.EnvVar[] {
  if (tracing?.endpoint === undefined || tracing.endpoint === '') return [];
  const { endpoint, insecure, sampler, samplerArg, resourceAttributes = {} } = tracing;
  const attributes = Object.entries(resourceAttributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    /* The values are percent-encoded: OpenTelemetry specification, "OTEL_RESOURCE_ATTRIBUTES" as W3C Baggage. */
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join(',');
  const variables = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_INSECURE: insecure === undefined ? undefined : String(insecure),
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_TRACES_SAMPLER_ARG: samplerArg,
    OTEL_RESOURCE_ATTRIBUTES: attributes === '' ? undefined : attributes,
  };
  return Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}
