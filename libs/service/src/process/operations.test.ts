import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { Gauge, Registry } from 'prom-client';
import { Probe } from '../http/probes.js';
import type { RunningServer } from '../http/server.js';
import { createLogger } from '../logging/logger.js';
import { serveOperations } from './operations.js';

const log = createLogger({ component: 'test', level: 'fatal' });
const sockets: Socket[] = [];
let servers: RunningServer[] = [];

afterEach(async () => {
  sockets.splice(0).forEach((socket) => socket.destroy());
  await Promise.all(servers.map((server) => server.close()));
});

/** Serves a metric that counts how often it is read. Returns the port of the metrics, and the count. */
async function start() {
  const metrics = new Registry();
  const counted = { reads: 0 };
  new Gauge({
    name: 'reads',
    help: 'Reads.',
    registers: [metrics],
    collect() {
      this.set(++counted.reads);
    },
  });
  const address = { host: '127.0.0.1', port: 0 };
  const addresses = { metricsBindAddress: address, healthProbeBindAddress: undefined };
  servers = await serveOperations(addresses, { metrics, liveness: new Probe(), readiness: new Probe() }, log);
  return { port: servers[0]?.port ?? 0, counted };
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

test('renders the metrics once for requests that arrive together', async () => {
  const { port, counted } = await start();
  const socket = await connected(port);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100));
  await eventually(() => expect(text.split('HTTP/1.1 200')).toHaveLength(101));
  expect(counted.reads).toBeLessThan(10);
});

test('holds the metrics for few clients that do not read them', async () => {
  const { port } = await start();
  const first = await connected(port);
  const closed = once(first.resume(), 'close');
  for (let count = 0; count < 32; count++) await connected(port);
  await closed;
});
