import {
  addressFlag,
  durationFlag,
  enumFlag,
  integerFlag,
  listFlag,
  stringFlag,
  type Flags,
  type FlagValues,
} from '@interlock/service/flags';
import { logLevels } from './audit/logger.js';
import { relayChoices } from './relay/choose.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the flags of the proxy. Environment variables that the gmc sets are their defaults. */
export function proxyFlags(variables: Variables) {
  const from = (name: string, otherwise = ''): string => variables[name] || otherwise;
  return {
    ...addressFlags(from),
    ...policyFlags(from),
    ...limitFlags(from),
    relay: enumFlag({
      description:
        'How bytes are relayed: sockets uses the documented API of Node.js; handles is faster and needs less memory; auto tests handles at the start.',
      values: relayChoices,
      default: 'auto',
    }),
    tenant: stringFlag({
      description: 'Name of the tenant in every log line. Default: PROXY_TENANT.',
      default: from('PROXY_TENANT'),
    }),
    logLevel: enumFlag({
      description: 'Lowest level to log; audit lines are always written. Default: LOG_LEVEL.',
      values: logLevels,
      default: (logLevels as readonly string[]).includes(from('LOG_LEVEL'))
        ? (from('LOG_LEVEL') as (typeof logLevels)[number])
        : 'info',
    }),
  } as const satisfies Flags;
}

export type ProxyFlags = FlagValues<ReturnType<typeof proxyFlags>>;

type From = (name: string, otherwise?: string) => string;

function addressFlags(from: From) {
  const file = (description: string, variable: string) =>
    stringFlag({ description: `${description} Default: ${variable}.`, default: from(variable) });
  return {
    bindAddress: addressFlag({
      description: 'Address on which CONNECT is served. Default: the port PROXY_PORT, else 8080.',
      default: `:${from('PROXY_PORT', '8080')}`,
    }),
    healthProbeBindAddress: addressFlag({
      description:
        'Address on which /healthz, /readyz and /metrics are served; 0 disables them. Default: the port PROXY_HEALTH_PORT, else 8081.',
      default: `:${from('PROXY_HEALTH_PORT', '8081')}`,
    }),
    tlsCertFile: file('Certificate in PEM; if set, clients connect over TLS.', 'PROXY_TLS_CERT_FILE'),
    tlsKeyFile: file('Private key of the certificate, in PEM.', 'PROXY_TLS_KEY_FILE'),
    tlsClientCaFile: file(
      'Certificate authorities of the client certificates; if empty, no client certificate is required.',
      'PROXY_TLS_CLIENT_CA_FILE',
    ),
  } as const satisfies Flags;
}

function policyFlags(from: From) {
  const list = (description: string, variable: string) =>
    listFlag({ description: `${description} Default: ${variable}.`, default: from(variable) });
  return {
    allowedHosts: list(
      'Host that clients may reach, as a name or *.suffix; may be repeated. Without hosts and ranges, every public host is allowed.',
      'PROXY_ALLOWED_HOST_SUFFIXES',
    ),
    allowedCidrs: list(
      'Address range, public or private, that clients may reach under any name; may be repeated.',
      'PROXY_ALLOWED_CIDRS',
    ),
    allowedPorts: listFlag({
      description: 'Port that clients may reach; may be repeated. Default: PROXY_ALLOWED_PORTS, else 443.',
      default: from('PROXY_ALLOWED_PORTS', '443'),
    }),
  } as const satisfies Flags;
}

function limitFlags(from: From) {
  return {
    maxTunnels: integerFlag({
      description:
        'Maximum number of connections from all clients; 0 derives it from the memory limit of the container.',
      default: '0',
      min: 0,
    }),
    maxTunnelsPerClient: integerFlag({
      description: 'Maximum number of connections from one client address; 0 sets half of --max-tunnels.',
      default: '0',
      min: 0,
    }),
    maxHeadBytes: integerFlag({
      description: 'Maximum size of a request in bytes.',
      default: '8192',
      min: 256,
      max: 65_536,
    }),
    headTimeout: durationFlag({
      description: 'Time limit for the TLS handshake, and for receiving a request.',
      default: '5s',
      minMs: 1,
    }),
    resolveTimeout: durationFlag({ description: 'Time limit to resolve a name.', default: '5s', minMs: 1 }),
    dialTimeout: durationFlag({
      description: 'Time limit to connect to a target. Default: PROXY_DIAL_TIMEOUT, else 10s.',
      default: from('PROXY_DIAL_TIMEOUT', '10s'),
      minMs: 1,
    }),
    idleTimeout: durationFlag({
      description: 'Time after which an idle tunnel is closed.',
      default: '5m',
      minMs: 1,
    }),
    maxLifetime: durationFlag({ description: 'Maximum lifetime of a tunnel.', default: '6h', minMs: 1 }),
    shutdownLinger: durationFlag({
      description:
        'Time for which connections are accepted after SIGTERM. Default: PROXY_SHUTDOWN_LINGER, else 7s.',
      default: notNegative(from('PROXY_SHUTDOWN_LINGER', '7s')),
    }),
    shutdownDrain: durationFlag({
      description:
        'Time after SIGTERM at which open tunnels are reset. Default: PROXY_SHUTDOWN_DRAIN_TIMEOUT, else 45s.',
      default: from('PROXY_SHUTDOWN_DRAIN_TIMEOUT', '45s'),
    }),
  } as const satisfies Flags;
}

/** Accepts a negative time, which disables the linger, as documented for the variable. */
function notNegative(duration: string): string {
  return duration.startsWith('-') ? '0s' : duration;
}
