import type { Registry } from 'prom-client';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { BindAddress } from '../http/address.js';
import type { Probe } from '../http/probes.js';
import { startServer, type RunningServer } from '../http/server.js';
import { MetricsText } from './metrics-text.js';

/** Each client that does not read its answer holds all metrics, which are several MiB in a large cluster. */
const maxMetricsConnections = 32;

/** The interfaces of a process for operators and the kubelet. */
interface Operations {
  metrics: Registry;
  liveness: Probe;
  readiness: Probe;
}

interface Addresses {
  metricsBindAddress: BindAddress | undefined;
  healthProbeBindAddress: BindAddress | undefined;
}

/** Serves /metrics, /healthz and /readyz, on one port if both addresses are equal. Returns the started servers. */
export async function serveOperations(
  addresses: Addresses,
  operations: Operations,
  log: Logger,
): Promise<RunningServer[]> {
  const { metricsBindAddress: metricsAddress, healthProbeBindAddress: probeAddress } = addresses;
  const metrics = (server: FastifyInstance) => serveMetrics(server, operations.metrics);
  const probes = (server: FastifyInstance) => {
    operations.liveness.serve(server, '/healthz');
    operations.readiness.serve(server, '/readyz');
  };
  if (metricsAddress && probeAddress && isSame(metricsAddress, probeAddress)) {
    const routes = (server: FastifyInstance) => {
      metrics(server);
      probes(server);
    };
    return [await startServer({ name: 'metrics and probes', address: metricsAddress, routes }, log)];
  }
  const servers: RunningServer[] = [];
  if (metricsAddress)
    servers.push(
      await startServer(
        { name: 'metrics', address: metricsAddress, maxConnections: maxMetricsConnections, routes: metrics },
        log,
      ),
    );
  if (probeAddress)
    servers.push(await startServer({ name: 'probes', address: probeAddress, routes: probes }, log));
  return servers;
}

function serveMetrics(server: FastifyInstance, registry: Registry): void {
  const text = new MetricsText(
    () => registry.metrics(),
    () => performance.now(),
  );
  server.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await text.get()));
}

function isSame(one: BindAddress, other: BindAddress): boolean {
  return one.port !== 0 && one.port === other.port && one.host === other.host;
}
