import {
  addressFlag,
  durationFlag,
  enumFlag,
  integerFlag,
  listFlag,
  stringFlag,
  withVariable,
  type BindAddress,
  type Flag,
  type Flags,
  type FlagValues,
} from '@interlock/service/flags';
import { logLevels } from './audit/logger.js';
import { AddressRanges } from './policy/addresses.js';
import { HostPatterns } from './policy/host-patterns.js';
import { relayChoices } from './relay/choose.js';

/** The flags of the proxy. The gmc sets some of them by environment variables. */
export const proxyFlags = {
  ...addressFlags(),
  ...policyFlags(),
  ...limitFlags(),
  relay: enumFlag({
    description:
      'How bytes are relayed: sockets uses the documented API of Node.js; handles is faster and needs less memory; auto tests handles at the start.',
    values: relayChoices,
    default: 'auto',
  }),
  tenant: withVariable(
    stringFlag({ description: 'Name of the tenant in every log line. Default: PROXY_TENANT.', default: '' }),
    'PROXY_TENANT',
  ),
  logLevel: withVariable(
    enumFlag({
      description: 'Lowest level to log; audit lines are always written. Default: LOG_LEVEL, else info.',
      values: logLevels,
      default: 'info',
    }),
    'LOG_LEVEL',
  ),
} as const satisfies Flags;

export type ProxyFlags = FlagValues<typeof proxyFlags>;

function addressFlags() {
  const file = (description: string, variable: string) =>
    withVariable(stringFlag({ description: `${description} Default: ${variable}.`, default: '' }), variable);
  const probes = addressFlag({
    description:
      'Address on which /healthz, /readyz and /metrics are served; 0 disables them. Default: the port PROXY_HEALTH_PORT, else 8081.',
    default: ':8081',
  });
  return {
    bindAddress: withVariable(
      requiredAddressFlag({
        description: 'Address on which CONNECT is served. Default: the port PROXY_PORT, else 8080.',
        default: ':8080',
      }),
      'PROXY_PORT',
      addressOfPort,
    ),
    healthProbeBindAddress: withVariable(probes, 'PROXY_HEALTH_PORT', addressOfPort),
    tlsCertFile: file('Certificate in PEM; if set, clients connect over TLS.', 'PROXY_TLS_CERT_FILE'),
    tlsKeyFile: file('Private key of the certificate, in PEM.', 'PROXY_TLS_KEY_FILE'),
    tlsClientCaFile: file(
      'Certificate authorities of the client certificates; if empty, no client certificate is required.',
      'PROXY_TLS_CLIENT_CA_FILE',
    ),
  } as const satisfies Flags;
}

/** Defines a flag with an address to listen on, which cannot be disabled. */
function requiredAddressFlag(options: { description: string; default: string }): Flag<BindAddress> {
  const flag = addressFlag(options);
  const parse = (text: string): BindAddress => {
    const address = text === '0' ? undefined : flag.parse(text);
    if (address !== undefined) return address;
    throw new Error('this address cannot be disabled; write host:port, or :port for all addresses');
  };
  return { ...flag, variable: undefined, parse };
}

/** Returns the address of a port on all addresses of the machine. @throws an Error that states the fix */
function addressOfPort(text: string): BindAddress {
  return { host: undefined, port: portOf(text) };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new Error(`${JSON.stringify(text)} is not a port; write a number from 1 to 65535`);
}

function policyFlags() {
  const list = (description: string, variable: string, Kind: new (list: readonly string[]) => object) => {
    const flag = listFlag({ description: `${description} Default: ${variable}.`, default: '' });
    const parse = (text: string): readonly string[] => {
      const items = flag.parse(text);
      /* A wrong item is refused by what it is for. */
      void new Kind(items);
      return items;
    };
    return withVariable({ ...flag, parse }, variable);
  };
  return {
    allowedHosts: list(
      'Host that clients may reach, as a name or *.suffix; may be repeated. Without hosts and ranges, every public host is allowed.',
      'PROXY_ALLOWED_HOST_SUFFIXES',
      HostPatterns,
    ),
    allowedCidrs: list(
      'Address range, public or private, that clients may reach under any name; may be repeated.',
      'PROXY_ALLOWED_CIDRS',
      AddressRanges,
    ),
    allowedPorts: withVariable(portsFlag(), 'PROXY_ALLOWED_PORTS'),
  } as const satisfies Flags;
}

function portsFlag(): Flag<readonly number[]> {
  const flag = listFlag({
    description: 'Port that clients may reach; may be repeated. Default: PROXY_ALLOWED_PORTS, else 443.',
    default: '443',
  });
  const parse = (text: string): readonly number[] => {
    const ports = flag.parse(text).map(portOf);
    if (ports.length === 0) throw new Error('there is no port; write one, such as 443');
    return ports;
  };
  return { ...flag, variable: undefined, parse };
}

function limitFlags() {
  const linger = durationFlag({
    description:
      'Time for which connections are accepted after SIGTERM. Default: PROXY_SHUTDOWN_LINGER, else 7s.',
    default: '7s',
  });
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
    dialTimeout: withVariable(
      durationFlag({
        description: 'Time limit to connect to a target. Default: PROXY_DIAL_TIMEOUT, else 10s.',
        default: '10s',
        minMs: 1,
      }),
      'PROXY_DIAL_TIMEOUT',
    ),
    idleTimeout: durationFlag({
      description: 'Time after which an idle tunnel is closed.',
      default: '5m',
      minMs: 1,
    }),
    maxLifetime: durationFlag({ description: 'Maximum lifetime of a tunnel.', default: '6h', minMs: 1 }),
    /* A negative time disables the linger, as documented for the variable. */
    shutdownLinger: withVariable(linger, 'PROXY_SHUTDOWN_LINGER', (text) => {
      const ms = linger.parse(text.replace(/^-/, ''));
      return text.startsWith('-') ? 0 : ms;
    }),
    shutdownDrain: withVariable(
      durationFlag({
        description:
          'Time after SIGTERM at which open tunnels are reset. Default: PROXY_SHUTDOWN_DRAIN_TIMEOUT, else 45s.',
        default: '45s',
      }),
      'PROXY_SHUTDOWN_DRAIN_TIMEOUT',
    ),
  } as const satisfies Flags;
}
