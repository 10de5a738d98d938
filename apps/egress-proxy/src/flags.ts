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

/** Returns the flags of the proxy. Those that the GMC sets by an environment variable take their default from it. */
export function proxyFlags(variables: Variables) {
  const from = (name: string, otherwise = ''): string => variables[name] || otherwise;
  return {
    ...addressFlags(from),
    ...policyFlags(from),
    ...limitFlags(from),
    relay: enumFlag({
      description:
        'How bytes are moved: sockets uses what Node.js documents, handles is faster and relays TCP only; auto tests handles at the start.',
      values: relayChoices,
      default: 'auto',
    }),
    tenant: stringFlag({
      description: 'Name of the tenant in every line of the log. Default: PROXY_TENANT.',
      default: from('PROXY_TENANT'),
    }),
    logLevel: enumFlag({
      description:
        'The least severe lines to log; those of the audit are always written. Default: LOG_LEVEL.',
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
  return {
    bindAddress: addressFlag({
      description: 'Where CONNECT is served. Default: the port PROXY_PORT, else 8080.',
      default: `:${from('PROXY_PORT', '8080')}`,
    }),
    healthProbeBindAddress: addressFlag({
      description:
        'Where /healthz, /readyz and /metrics are served; 0 switches them off. Default: the port PROXY_HEALTH_PORT, else 8081.',
      default: `:${from('PROXY_HEALTH_PORT', '8081')}`,
    }),
    tlsCertFile: stringFlag({
      description: 'Certificate in PEM; with it, clients speak TLS. Default: PROXY_TLS_CERT_FILE.',
      default: from('PROXY_TLS_CERT_FILE'),
    }),
    tlsKeyFile: stringFlag({
      description: 'Private key of the certificate, in PEM. Default: PROXY_TLS_KEY_FILE.',
      default: from('PROXY_TLS_KEY_FILE'),
    }),
    tlsClientCaFile: stringFlag({
      description:
        'Authorities of the certificates that clients have to show; without it they show none. Default: PROXY_TLS_CLIENT_CA_FILE.',
      default: from('PROXY_TLS_CLIENT_CA_FILE'),
    }),
  } as const satisfies Flags;
}

function policyFlags(from: From) {
  return {
    allowedHosts: listFlag({
      description:
        'Host that may be reached, as name or *.suffix; may be repeated. Without hosts and ranges, every public host. Default: PROXY_ALLOWED_HOST_SUFFIXES.',
      default: from('PROXY_ALLOWED_HOST_SUFFIXES'),
    }),
    allowedCidrs: listFlag({
      description:
        'Range of addresses that may be reached under any name, also a private one; may be repeated. Default: PROXY_ALLOWED_CIDRS.',
      default: from('PROXY_ALLOWED_CIDRS'),
    }),
    allowedPorts: listFlag({
      description: 'Port that may be reached; may be repeated. Default: PROXY_ALLOWED_PORTS, else 443.',
      default: from('PROXY_ALLOWED_PORTS', '443'),
    }),
  } as const satisfies Flags;
}

function limitFlags(from: From) {
  return {
    maxTunnels: integerFlag({
      description: 'Connections of all clients; 0: as many as the memory of the container is enough for.',
      default: '0',
      min: 0,
    }),
    maxTunnelsPerClient: integerFlag({
      description: 'Connections of one address; 0: half of all.',
      default: '0',
      min: 0,
    }),
    maxHeadBytes: integerFlag({ description: 'Bytes of a request.', default: '8192', min: 256, max: 65_536 }),
    headTimeout: durationFlag({ description: 'Time for TLS, and for a request.', default: '5s', minMs: 1 }),
    resolveTimeout: durationFlag({ description: 'Time to resolve a name.', default: '5s', minMs: 1 }),
    dialTimeout: durationFlag({
      description: 'Time to connect to a target. Default: PROXY_DIAL_TIMEOUT, else 10s.',
      default: from('PROXY_DIAL_TIMEOUT', '10s'),
      minMs: 1,
    }),
    idleTimeout: durationFlag({ description: 'Time of a tunnel without a byte.', default: '5m', minMs: 1 }),
    maxLifetime: durationFlag({ description: 'Time of a tunnel.', default: '6h', minMs: 1 }),
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

/** A negative time switches the linger off, as the variable is documented. */
function notNegative(duration: string): string {
  return duration.startsWith('-') ? '0s' : duration;
}
