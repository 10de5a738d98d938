import { networkInterfaces } from 'node:os';
import { Deadlines, LinkedList, systemClock, type Clock, type Logger } from '@interlock/base';
import { UsageError } from '@interlock/service/flags';
import { Admission, type AdmissionLimits } from './admission.js';
import type { Audit } from './audit/audit.js';
import { heldBytesFor, tunnelsFor, tunnelsForDescriptors } from './capacity.js';
import type { ProxyContext } from './context.js';
import { drain } from './drain.js';
import type { ProxyFlags } from './flags.js';
import { ProxyListener } from './listener.js';
import { ProxyMetrics } from './operations/metrics.js';
import { serveProbes } from './operations/server.js';
import { Policy } from './policy/policy.js';
import type { Dial, RelayEngine } from './relay/engine.js';
import { heldBytes } from './relay/held.js';
import { cachingResolver, systemLookup } from './target/resolver.js';
import { startOf } from './start.js';
import type { TlsFiles } from './tls/files.js';
import { OpenTunnels } from './tunnels.js';

export const version = '0.1.0';

/** Milliseconds that a client has to receive the response to a refused request. */
const closingMs = 1_000;

interface ProxyParts {
  flags: ProxyFlags;
  log: Logger;
  engine: RelayEngine;
  /** Memory limit of the container in bytes; undefined or 0 if it has none. */
  memoryLimit?: number | undefined;
  /** Maximum number of open files and sockets of the process; undefined if it has none. */
  descriptorLimit?: number | undefined;
  /** Log lines that were dropped since the start. */
  droppedLines?: () => number;
  clock?: Clock;
  lookup?: (host: string) => Promise<readonly string[]>;
  dial?: Dial;
  audit: Audit;
}

/** A running proxy. */
export interface RunningProxy {
  readonly port: number;
  /** Port of the probes; undefined if they are disabled. */
  readonly healthPort: number | undefined;
  /** Maximum numbers of open connections. */
  readonly limits: AdmissionLimits;
  readonly context: ProxyContext;
  readonly listener: ProxyListener;
  /** Shuts the proxy down; see {@link drain}. @param hurry aborts when the remaining tunnels must be cut at once */
  drain(hurry: AbortSignal): Promise<boolean>;
}

/** Starts a proxy. Resolves when both ports are bound. @throws UsageError when a flag cannot be used */
export async function startProxy(parts: ProxyParts): Promise<RunningProxy> {
  const { flags, log, engine, clock = systemClock } = parts;
  const context = contextOf(parts, clock);
  const { tunnels, waiting, metrics, admission } = context;
  heldBytes.limit(heldBytesFor(parts.memoryLimit), (excess) => tunnels.cutHolders(excess));
  let isReady = false;
  const { listener, port } = await ProxyListener.start({
    ...{ context, engine },
    address: flags.bindAddress,
    files: tlsOf(flags),
  });
  const operations =
    flags.healthProbeBindAddress &&
    (await startOf(
      '--health-probe-bind-address',
      serveProbes({
        address: flags.healthProbeBindAddress,
        isReady: () => isReady,
        metrics: () =>
          metrics.render({
            ...tunnels.totals(),
            activeTunnels: tunnels.size,
            openConnections: admission.open,
            droppedLines: parts.droppedLines?.() ?? 0,
          }),
      }),
    ).catch((error: unknown) => {
      listener.stop();
      throw error;
    }));
  isReady = true;
  return {
    port,
    healthPort: operations?.port,
    limits: admission.limits,
    context,
    listener,
    async drain(hurry) {
      isReady = false;
      const limits = { lingerMs: flags.shutdownLinger, drainMs: flags.shutdownDrain };
      const isComplete = await drain({ ...limits, clock, log, listener, tunnels, waiting }, hurry);
      operations?.stop();
      return isComplete;
    },
  };
}

function contextOf(parts: ProxyParts, clock: Clock): ProxyContext {
  const { flags, log, engine, lookup = systemLookup, dial = engine.dial, audit } = parts;
  return {
    ...{ clock, log, dial, audit },
    policy: policyOf(flags),
    resolve: cachingResolver({ lookup, clock }),
    limits: {
      headBytes: flags.maxHeadBytes,
      handshakeMs: flags.headTimeout,
      head: new Deadlines(clock, flags.headTimeout),
      resolve: new Deadlines(clock, flags.resolveTimeout),
      dial: new Deadlines(clock, flags.dialTimeout),
      closing: new Deadlines(clock, closingMs),
    },
    admission: new Admission(admissionLimits(parts)),
    waiting: new LinkedList(),
    tunnels: new OpenTunnels(clock, { idleMs: flags.idleTimeout, lifetimeMs: flags.maxLifetime }),
    metrics: new ProxyMetrics({ version, relay: engine.name }),
  };
}

function admissionLimits({ flags, log, engine, memoryLimit, descriptorLimit }: ProxyParts): AdmissionLimits {
  const possible = tunnelsForDescriptors(descriptorLimit);
  const requested = flags.maxTunnels || tunnelsFor(memoryLimit, engine.name);
  const max = Math.min(possible, requested);
  const maxTls = Math.min(possible, flags.maxTunnels || tunnelsFor(memoryLimit, 'tls'));
  if (max < requested) {
    const message =
      'the limit of open files allows fewer tunnels; raise it in the container runtime of the node';
    log.warn({ descriptorLimit, maxTunnels: max, requested }, message);
  }
  return {
    ...{ max, maxTls },
    maxPerClient: flags.maxTunnelsPerClient || Math.ceil(max / 2),
    maxTlsPerClient: flags.maxTunnelsPerClient || Math.ceil(maxTls / 2),
  };
}

function policyOf({ allowedHosts, allowedCidrs, allowedPorts }: ProxyFlags): Policy {
  const ownAddresses = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.map(({ address }) => address.split('%', 1)[0] ?? address),
  );
  return new Policy({ hosts: allowedHosts, cidrs: allowedCidrs, ports: allowedPorts, ownAddresses });
}

function tlsOf({ tlsCertFile, tlsKeyFile, tlsClientCaFile }: ProxyFlags): TlsFiles | undefined {
  if (tlsCertFile === '' && tlsKeyFile === '' && tlsClientCaFile === '') return undefined;
  if (tlsCertFile === '' || tlsKeyFile === '') {
    throw new UsageError('--tls-cert-file and --tls-key-file must be set together');
  }
  return {
    certFile: tlsCertFile,
    keyFile: tlsKeyFile,
    clientCaFile: tlsClientCaFile === '' ? undefined : tlsClientCaFile,
  };
}
