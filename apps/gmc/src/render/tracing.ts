import type { ActionsGatewaySpec } from '@interlock/api';
import type * as core from 'kubernetes-types/core/v1.js';
import type * as networking from 'kubernetes-types/networking/v1.js';
import { isIP } from 'node:net';
import { variablesOf } from './pods.js';

type Tracing = NonNullable<ActionsGatewaySpec['tracing']>;

/** Returns the OpenTelemetry variables for a tenant; none without an endpoint, so that no traces are sent. */
export function tracingVariables(tracing: Tracing | undefined): core.EnvVar[] {
  if (tracing?.endpoint === undefined || tracing.endpoint === '') return [];
  const { endpoint, insecure, sampler, samplerArg, resourceAttributes = {} } = tracing;
  const attributes = encodeAttributes(resourceAttributes);
  return variablesOf({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: withScheme(endpoint, insecure),
    /* The field names a collector of OTLP over gRPC; the SDK would use HTTP. */
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_INSECURE: insecure === undefined ? undefined : String(insecure),
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_TRACES_SAMPLER_ARG: samplerArg,
    OTEL_RESOURCE_ATTRIBUTES: attributes === '' ? undefined : attributes,
  });
}

/** Returns an endpoint whose scheme is what `insecure` states: the SDK ignores the variable INSECURE if the endpoint has a scheme. */
function withScheme(endpoint: string, insecure: boolean | undefined): string {
  return insecure === undefined ? endpoint : endpoint.replace(/^https?:/, insecure ? 'http:' : 'https:');
}

/** Returns the value of OTEL_RESOURCE_ATTRIBUTES: percent-encoded, as W3C Baggage (OpenTelemetry specification). */
export function encodeAttributes(attributes: NonNullable<Tracing['resourceAttributes']>): string {
  return Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join(',');
}

/** Returns the egress rule for the trace collector of a tenant, as narrow as its endpoint permits; none without an endpoint. */
export function tracingRules(tracing: Tracing | undefined): networking.NetworkPolicyEgressRule[] {
  const { endpoint = '' } = tracing ?? {};
  if (!URL.canParse(endpoint)) return [];
  const { hostname, port } = new URL(endpoint);
  const peer = peerOf(hostname);
  return [{ ports: [{ port: port === '' ? defaultPort : Number(port) }], ...(peer && { to: [peer] }) }];
}

/** The port to which the gRPC client connects if the endpoint names none, or the default port of its scheme; also without TLS. */
const defaultPort = 443;

const namespaceName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns the peer that a host names; undefined for a host outside of the cluster, whose address is not known. */
function peerOf(hostname: string): networking.NetworkPolicyPeer | undefined {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(address);
  if (family !== 0) return { ipBlock: { cidr: `${address}/${family === 4 ? 32 : 128}` } };
  /* A Service: <name>, <name>.<namespace> or <name>.<namespace>.svc[.<domain of the cluster>]. */
  const [, namespace, svc] = hostname.split('.');
  if (namespace === undefined) return { podSelector: {} };
  if (!namespaceName.test(namespace) || (svc !== undefined && svc !== 'svc')) return undefined;
  return { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
}
