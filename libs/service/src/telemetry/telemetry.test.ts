import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { bundleDemo, TestProcess, type Bundle } from '../testing/process.js';
import { isTelemetryConfigured } from './telemetry.js';

interface Received {
  path: string | undefined;
  body: {
    resourceSpans?: {
      resource: { attributes: { key: string; value: object }[] };
      scopeSpans: { spans: Record<string, unknown>[] }[];
    }[];
  };
}

const noPorts = ['--metrics-bind-address=0', '--health-probe-bind-address=0'];

let bundle: Bundle;
let receiver: Server;
let endpoint: string;
const received: Received[] = [];

beforeAll(async () => {
  bundle = await bundleDemo();
});
afterAll(() => bundle.remove());

beforeEach(async () => {
  received.splice(0);
  receiver = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      received.push({
        path: incoming.url,
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Received['body'],
      });
      answer.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterEach(async () => {
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_SDK_DISABLED: 'TRUE' }, false],
  [{ OTEL_SERVICE_NAME: 'x' }, false],
])('isTelemetryConfigured evaluates %j to %s', (env, wanted) => {
  expect(isTelemetryConfigured(env)).toBe(wanted);
});

describe('the SDK', () => {
  test('is not loaded without an endpoint, so that a program runs with its chunks deleted', async () => {
    const crippled = await bundleDemo();
    const isSdk = (input: string) => /@opentelemetry\/(sdk-|exporter-|otlp-|instrumentation)/.test(input);
    const chunks = Object.entries(crippled.metafile.outputs).filter(([, { inputs }]) =>
      Object.keys(inputs).some(isSdk),
    );
    expect(chunks.length).toBeGreaterThan(0);
    for (const [path] of chunks) rmSync(join(dirname(crippled.program), basename(path)));
    const args = [...noPorts, '--scenario=span'];
    const without = await new TestProcess(crippled.program, args).exit;
    const withEndpoint = await new TestProcess(crippled.program, args, {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    }).exit;
    crippled.remove();
    expect({ without, withEndpoint }).toEqual({ without: 0, withEndpoint: 1 });
  });

  test('sends spans to an OTLP endpoint, and adds their IDs to log lines', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    const traced = new TestProcess(bundle.program, [...noPorts, '--scenario=span'], env);
    expect({ code: await traced.exit, stderr: traced.stderr }).toEqual({ code: 0, stderr: '' });
    expect(received.map(({ path }) => path)).toEqual(['/v1/traces']);
    const [resourceSpans] = received[0]?.body.resourceSpans ?? [];
    const span = resourceSpans?.scopeSpans[0]?.spans[0];
    expect(span).toMatchObject({ name: 'work' });
    const attributes = Object.fromEntries(
      (resourceSpans?.resource.attributes ?? []).map(({ key, value }) => [key, value]),
    );
    expect(attributes).toMatchObject({
      'service.name': { stringValue: 'demo' },
      'service.version': { stringValue: '1.2.3' },
    });
    expect(
      Object.keys(attributes).filter((key) => key.startsWith('process.') || key.startsWith('host.')),
    ).toEqual([]);
    const inside = traced.lines.find(({ msg }) => msg === 'inside');
    expect(inside).toMatchObject({ trace_id: span?.['traceId'], span_id: span?.['spanId'] });
  });

  test('does not fail when an endpoint is down', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_TIMEOUT: '100' };
    const traced = new TestProcess(bundle.program, [...noPorts, '--scenario=span'], env);
    expect(await traced.exit).toBe(0);
  });

  test('sends nothing and adds no IDs to log lines without an endpoint', async () => {
    const plain = new TestProcess(bundle.program, [...noPorts, '--scenario=span']);
    expect(await plain.exit).toBe(0);
    expect(plain.lines.find(({ msg }) => msg === 'inside')).not.toHaveProperty('trace_id');
    expect(received).toEqual([]);
  });
});
