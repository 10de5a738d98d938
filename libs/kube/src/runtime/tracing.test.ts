import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { node, tracing } from '@opentelemetry/sdk-node';
import { Causes, inSpan } from './tracing.js';

const exporter = new tracing.InMemorySpanExporter();
const provider = new node.NodeTracerProvider({ spanProcessors: [new tracing.SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('test');

beforeAll(() => provider.register());
afterAll(async () => {
  context.disable();
  trace.disable();
  await provider.shutdown();
});

describe('tracing', () => {
  it('links the span of a reconcile to its causes, and makes it active', async () => {
    const causes = new Causes();
    const ids: string[] = [];
    for (let i = 0; i < 20; i++) {
      tracer.startActiveSpan('webhook', (span) => {
        ids.push(span.spanContext().spanId);
        causes.note('ns/a');
        span.end();
      });
    }
    causes.note('ns/a');
    exporter.reset();
    const links = causes.take('ns/a');
    const active = await inSpan(
      tracer,
      { name: 'reconcile web', links, attributes: { controller: 'web' } },
      async () => trace.getActiveSpan()?.spanContext().spanId,
    );
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ name: 'reconcile web', attributes: { controller: 'web' } });
    expect(span?.links.map((link) => link.context.spanId)).toEqual(ids.slice(0, 8));
    expect(span?.spanContext().spanId).toBe(active);
    expect(causes.take('ns/a')).toEqual([]);
  });

  it('records the error in the span, and rethrows it', async () => {
    exporter.reset();
    const failing = inSpan(tracer, { name: 'reconcile', links: [], attributes: {} }, () =>
      Promise.reject(new Error('no')),
    );
    await expect(failing).rejects.toThrow('no');
    expect(exporter.getFinishedSpans()[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'no' });
  });

  it('masks secrets in the error of the span', async () => {
    exporter.reset();
    const failing = inSpan(tracer, { name: 'reconcile', links: [], attributes: {} }, () =>
      Promise.reject(new Error('cannot clone https://bot:s3cret@git.example.org/web')),
    );
    await expect(failing).rejects.toThrow('s3cret');
    const message = 'cannot clone https://[redacted]@git.example.org/web';
    expect(exporter.getFinishedSpans()[0]?.status).toEqual({ code: SpanStatusCode.ERROR, message });
  });

  it('runs a reconcile without a tracer', async () => {
    expect(await inSpan(undefined, { name: 'x', links: [], attributes: {} }, async () => 1)).toBe(1);
  });
});
