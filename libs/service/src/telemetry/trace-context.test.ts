import { describe, expect, it } from '@jest/globals';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { tracing } from '@opentelemetry/sdk-node';
import { contextOf, continueTrace, traceIdOf, traceparentOf } from './trace-context.js';

const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = tracing;
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('contextOf', () => {
  it.each<[string | undefined, boolean]>([
    [`00-${traceId}-${spanId}-01`, true],
    [`cc-${traceId}-${spanId}-01-what-comes`, true],
    [`00-${traceId}-${spanId}-01-more`, false],
    [`ff-${traceId}-${spanId}-01`, false],
    [`00-${'0'.repeat(32)}-${spanId}-01`, false],
    [`00-${traceId}-${'0'.repeat(16)}-01`, false],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, false],
    ['', false],
    [undefined, false],
  ])('returns whether %s names a span: %s', (header, isKnown) => {
    const span = trace.getSpanContext(contextOf(header));
    expect(span).toEqual(isKnown ? { traceId, spanId, traceFlags: 1, isRemote: true } : undefined);
  });
});

it('traceparentOf returns a header that continues the trace of a recorded span, and undefined for other spans', () => {
  const span = new BasicTracerProvider().getTracer('test').startSpan('poll');
  const header = traceparentOf(span);
  expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(trace.getSpanContext(contextOf(header))).toMatchObject({ spanId: span.spanContext().spanId });
  expect(traceIdOf(header)).toBe(span.spanContext().traceId);
  expect(traceparentOf(trace.getTracer('none').startSpan('poll'))).toBeUndefined();
  expect(traceIdOf(undefined)).toBeUndefined();
});

it('continueTrace ends its span even if the work fails, and does not reveal a secret', async () => {
  const spans = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const work = () => Promise.reject(new Error(`ghp_${'a'.repeat(36)}`));
  const tracer = provider.getTracer('test');
  await expect(continueTrace(tracer, `00-${traceId}-${spanId}-01`, 'respond', {}, work)).rejects.toThrow(
    'ghp_',
  );
  const [span] = spans.getFinishedSpans();
  expect(span?.spanContext().traceId).toBe(traceId);
  expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: '[redacted]' });
  await provider.shutdown();
});
